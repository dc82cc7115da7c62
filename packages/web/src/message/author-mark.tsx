import type { AuthorKind } from '@stoa/protocol';

interface AuthorMarkProps {
  readonly kind: AuthorKind;
  readonly name: string;
}

/** People are round, agents are square, so that both are distinguishable regardless of their names. */
export function AuthorMark({ kind, name }: AuthorMarkProps) {
  const shape = kind === 'human' ? 'rounded-full' : 'rounded-md';
  const look =
    kind === 'agent' ? 'border border-accent text-accent' : 'border border-line bg-panel text-soft';
  return (
    <span
      aria-hidden="true"
      className={`flex size-7 items-center justify-center text-xs font-semibold ${shape} ${look}`}
    >
      {initialOf(name)}
    </span>
  );
}

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function initialOf(name: string): string {
  const [first] = letters.segment(name);
  return first?.segment.toUpperCase() ?? '';
}
