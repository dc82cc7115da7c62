import type { Tidings } from './watch.js';

/** Tidings as they are told: what the command printed is numbered, a line each, and is no more than data. */
export function tidingsText(taskId: string, tidings: Tidings): string {
  const lines = tidings.lines.map(
    ({ number, text, isCut }) => `#${number} ${text}${isCut ? ' [… cut]' : ''}`,
  );
  const [first] = tidings.lines;
  const last = tidings.lines.at(-1);
  const which = first === last ? `line ${first?.number}` : `lines ${first?.number}-${last?.number}`;
  return [`Monitor ${taskId}, ${which}:`, ...lines, ...lossText(tidings)].join('\n');
}

/** What was printed and not told; nothing if that is nothing. */
export function lossText(loss: {
  readonly dropped: number;
  readonly missedBytes: number;
}): string[] {
  const { dropped, missedBytes } = loss;
  const said: string[] = [];
  if (dropped > 0)
    said.push(
      `[${dropped} more ${dropped === 1 ? 'line' : 'lines'} came too fast and were dropped]`,
    );
  if (missedBytes > 0)
    said.push(`[${missedBytes} bytes of output were gone before they were read]`);
  return said;
}
