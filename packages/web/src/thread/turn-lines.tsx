import { useThreadTurn } from './use-thread-turn.js';

interface TurnLinesProps {
  readonly channelId: string;
  readonly rootId: string;
}

/** Who has the turn, who is next and why not now, and how those ended of whom nothing is seen. */
export function TurnLines({ channelId, rootId }: TurnLinesProps) {
  const { waiting, ended } = useThreadTurn(channelId, rootId);
  return (
    <>
      <Lines label="How the turn ended" lines={ended} />
      <Lines label="Whose turn it is" lines={waiting} />
    </>
  );
}

function Lines({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul
      aria-label={label}
      className="mx-3 mb-1 max-h-32 shrink-0 overflow-y-auto rounded-md bg-panel px-3 py-1.5 text-xs break-words text-soft"
    >
      {lines.map((line, index) => (
        // Two agents may have the same name and the same end.
        <li key={`${String(index)} ${line}`}>{line}</li>
      ))}
    </ul>
  );
}
