import { argumentTexts } from '@stoa/client';
import type { Approval } from '@stoa/protocol';
import type { ReactNode } from 'react';
import { visibleText } from '../ui/visible-text.js';
import { isDiff } from './diff-lines.js';
import { DiffView } from './diff-view.js';

interface ApprovalSubjectProps {
  readonly approval: Approval;
  /** While the arguments are edited below, they need not stand here too. */
  readonly isFolded: boolean;
}

/**
 * What would be done. Text of the agent is shown in boxes, below the statements of the daemon: text in a
 * box, the daemon did not say it.
 */
export function ApprovalSubject({ approval, isFolded }: ApprovalSubjectProps) {
  const { detail, notes = [], input } = approval;
  return (
    <>
      {notes.length === 0 ? null : (
        <ul aria-label="Description by Stoa" className="space-y-0.5 text-[13px] text-soft">
          {notes.map((note) => (
            <li key={note} className="break-words">
              {visibleText(note)}
            </li>
          ))}
        </ul>
      )}
      {detail === undefined ? (
        isFolded ? null : (
          <Written>
            <ArgumentsView input={input} />
          </Written>
        )
      ) : (
        <>
          <Written>
            {isDiff(detail) ? (
              <DiffView text={detail} />
            ) : (
              <pre className="rounded-md border border-line bg-code px-3 py-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
                {visibleText(detail)}
              </pre>
            )}
          </Written>
          <details>
            <summary className="cursor-pointer text-[13px] text-soft">Exact arguments</summary>
            <div className="mt-2">
              <ArgumentsView input={input} />
            </div>
          </details>
        </>
      )}
    </>
  );
}

function Written({ children }: { readonly children: ReactNode }) {
  return (
    <section aria-label="Written by the agent" className="space-y-1">
      <p aria-hidden="true" className="text-xs font-semibold text-faint">
        Written by the agent
      </p>
      {children}
    </section>
  );
}

/** The exact arguments of a call, each in a box of its own. Their names may be the agent's words too. */
function ArgumentsView({ input }: { readonly input: unknown }) {
  const texts = argumentTexts(input);
  if (texts.length === 0) return <p className="text-[13px] text-faint">No arguments.</p>;
  return (
    <dl aria-label="Arguments" className="space-y-2 border-l-2 border-line pl-3">
      {texts.map(({ name, text }) => (
        <div key={name}>
          <dt className="text-xs break-words text-faint">{visibleText(name)}</dt>
          <dd className="rounded-md border border-line bg-code px-3 py-1.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
            {visibleText(text)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
