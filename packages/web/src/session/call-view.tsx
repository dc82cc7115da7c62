import { elapsedText } from '../ui/elapsed.js';
import { Icon } from '../ui/icon.js';
import { visibleText } from '../ui/visible-text.js';
import type { CallRow } from './journal-rows.js';

const STATES: Readonly<Record<CallRow['state'], { readonly word: string; readonly tone: string }>> =
  {
    asked: { word: 'not started yet', tone: 'text-warn' },
    open: { word: 'no result yet', tone: 'text-warn' },
    ok: { word: '', tone: 'text-good' },
    error: { word: 'error', tone: 'text-danger' },
    denied: { word: 'denied', tone: 'text-danger' },
    cancelled: { word: 'cancelled', tone: 'text-faint' },
    unknown: { word: 'outcome unknown', tone: 'text-warn' },
  };

/** A tool call in a line; what it was given and what it gave are folded in it. */
export function CallView({ call }: { readonly call: CallRow }) {
  const { title, tool, input, state, output, durationMs } = call;
  const { word, tone } = STATES[state];
  return (
    <details className="group mt-1 rounded-md border border-line bg-panel text-[13px]">
      <summary className="flex cursor-pointer list-none items-center gap-2 px-2.5 py-1">
        <Icon
          name="chevron"
          className="size-3 -rotate-90 text-faint transition-transform group-open:rotate-0"
        />
        <span className="min-w-0 grow truncate font-mono text-xs">{visibleText(title)}</span>
        <span className="shrink-0 text-xs text-faint">{tool}</span>
        {durationMs === undefined || durationMs < 1_000 ? null : (
          <span className="shrink-0 text-xs text-faint tabular-nums">
            {elapsedText(durationMs)}
          </span>
        )}
        <span className={`flex shrink-0 items-center gap-1 text-xs ${tone}`}>
          {state === 'ok' ? <Icon name="check" className="size-3" /> : null}
          {word}
          {state === 'ok' ? <span className="sr-only">done</span> : null}
        </span>
      </summary>
      <div className="space-y-2 border-t border-line px-2.5 py-2">
        <Block name="Input" text={JSON.stringify(input ?? null, undefined, 2)} />
        {output === undefined ? null : <Block name="Result" text={output} />}
      </div>
    </details>
  );
}

function Block({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <p className="text-xs text-faint">{name}</p>
      <pre className="max-h-96 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap">
        {visibleText(text)}
      </pre>
    </div>
  );
}
