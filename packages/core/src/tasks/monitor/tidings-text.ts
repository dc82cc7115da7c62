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

interface Loss {
  readonly dropped: number;
  readonly missedBytes: number;
}

/** What was printed since the last tidings and is not told; nothing if that is nothing. */
const lossText = (loss: Loss): string[] => lossLines(loss, 'more');

/** The same of all of it, which was said in part before. */
export const totalLossText = (loss: Loss): string[] => lossLines(loss, 'in all');

function lossLines({ dropped, missedBytes }: Loss, which: 'more' | 'in all'): string[] {
  const said: string[] = [];
  if (dropped > 0) {
    const [lines, were] = dropped === 1 ? ['line', 'was'] : ['lines', 'were'];
    said.push(
      which === 'more'
        ? `[${dropped} more ${lines} came too fast and ${were} dropped]`
        : `[${dropped} ${lines} in all came too fast and ${were} dropped]`,
    );
  }
  if (missedBytes > 0) {
    const all = which === 'more' ? '' : ' in all';
    said.push(`[${missedBytes} bytes of output${all} were gone before they were read]`);
  }
  return said;
}
