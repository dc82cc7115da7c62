import { useConnection } from '../data/live.js';

const SHOWN = {
  connecting: { word: 'Connecting…', dot: 'bg-warn' },
  live: { word: 'Connected', dot: 'bg-good' },
  reconnecting: { word: 'Reconnecting…', dot: 'bg-danger' },
  refused: { word: 'Logged out', dot: 'bg-danger' },
} as const;

export function ConnectionState() {
  const { word, dot } = SHOWN[useConnection()];
  return (
    <span className="ml-auto flex items-center gap-1.5 whitespace-nowrap">
      <span className={`size-1.5 rounded-full ${dot}`} />
      {word}
    </span>
  );
}
