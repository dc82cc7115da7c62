interface PlainMessageProps {
  readonly text: string;
  /** Why it is not laid out. */
  readonly reason: keyof typeof REASONS;
}

const REASONS = {
  nested: 'Shown as plain text: it has too much markup or too many nested levels.',
  failed: 'Shown as plain text: it could not be formatted.',
} as const;

/** A message whose markup is not laid out. */
export function PlainMessage({ text, reason }: PlainMessageProps) {
  return (
    <>
      <p dir="auto" className="max-h-96 overflow-y-auto break-words whitespace-pre-wrap">
        {text}
      </p>
      <p className="text-xs text-faint">{REASONS[reason]}</p>
    </>
  );
}
