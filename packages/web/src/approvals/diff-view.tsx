import { useState } from 'react';
import { Button } from '../ui/button.js';
import { visibleText } from '../ui/visible-text.js';
import { type DiffLine, diffLines } from './diff-lines.js';

const LOOKS: Readonly<Record<DiffLine['kind'], string>> = {
  same: 'text-soft',
  added: 'bg-good-wash text-good',
  removed: 'bg-danger-wash text-danger',
  hunk: 'bg-hover text-faint',
  file: 'font-semibold text-soft',
};

/** More lines than anybody reads at once would make the dialog slow; the rest is a click away. */
const AT_FIRST = 2_000;

export function DiffView({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = diffLines(text);
  const shown = isWhole ? lines : lines.slice(0, AT_FIRST);
  const left = lines.length - shown.length;
  return (
    <section
      aria-label="Diff"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard.
      tabIndex={0}
      className="shrink-0 overflow-x-auto rounded-md border border-line bg-code py-1"
    >
      <pre className="w-max min-w-full font-mono text-xs leading-5">
        {shown.map(({ kind, text: line }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text that does not change.
          <div key={at} className={`px-3 ${LOOKS[kind]}`}>
            {visibleText(line) || ' '}
          </div>
        ))}
      </pre>
      {left > 0 ? (
        <Button look="quiet" className="m-1" onClick={() => setWhole(true)}>
          {left} more lines
        </Button>
      ) : null}
    </section>
  );
}
