import { visibleText } from '../ui/visible-text.js';

/** The exact arguments of a call. Texts stand as they are, with their lines; all else as JSON. */
export function ArgumentsView({ input }: { readonly input: unknown }) {
  const isPlain = typeof input === 'object' && input !== null && !Array.isArray(input);
  const entries: readonly (readonly [string, unknown])[] = isPlain
    ? Object.entries(input)
    : [['input', input]];
  if (entries.length === 0) return <p className="text-[13px] text-faint">No arguments.</p>;
  return (
    <dl aria-label="Arguments" className="space-y-2">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-faint">{visibleText(name)}</dt>
          <dd className="rounded-md border border-line bg-code px-3 py-1.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
            {visibleText(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
