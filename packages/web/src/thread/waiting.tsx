import { useWaiting } from './use-waiting.js';

interface WaitingProps {
  readonly channelId: string;
  readonly rootId: string;
}

/** Who has the turn, who is next, and why not now. */
export function Waiting({ channelId, rootId }: WaitingProps) {
  const lines = useWaiting(channelId, rootId);
  if (lines.length === 0) return null;
  return (
    <ul
      aria-label="Whose turn it is"
      className="mx-3 mb-1 max-h-32 shrink-0 overflow-y-auto rounded-md bg-panel px-3 py-1.5 text-xs text-soft"
    >
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
