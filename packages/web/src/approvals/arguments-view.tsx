import { argumentTexts } from '@stoa/client';
import { visibleText } from '../ui/visible-text.js';

/** The exact arguments of a call, each in a box of its own. Their names may be the agent's words too. */
export function ArgumentsView({ input }: { readonly input: unknown }) {
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
