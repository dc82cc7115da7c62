import type { MonitorUpdate } from './watch.js';

/** The text of an update: the lines that the command printed, each with its number. */
export function monitorUpdateText(taskId: string, update: MonitorUpdate): string {
  const lines = update.lines.map(
    ({ number, text, isCut }) => `#${number} ${text}${isCut ? ' [… cut]' : ''}`,
  );
  const [first] = update.lines;
  const last = update.lines.at(-1);
  const which = first === last ? `line ${first?.number}` : `lines ${first?.number}-${last?.number}`;
  return [`Monitor ${taskId}, ${which}:`, ...lines, ...lossLines(update, 'more')].join('\n');
}

interface Loss {
  readonly dropped: number;
  readonly missedBytes: number;
}

/** Lines about output that was not sent: `more` since the last update, or `in all`. */
export function lossLines({ dropped, missedBytes }: Loss, which: 'more' | 'in all'): string[] {
  const texts: string[] = [];
  if (dropped > 0) {
    const [lines, were] = dropped === 1 ? ['line', 'was'] : ['lines', 'were'];
    texts.push(
      which === 'more'
        ? `[${dropped} more ${lines} came too fast and ${were} dropped]`
        : `[${dropped} ${lines} in all came too fast and ${were} dropped]`,
    );
  }
  if (missedBytes > 0) {
    const all = which === 'more' ? '' : ' in all';
    texts.push(`[${missedBytes} bytes of output${all} were gone before they were read]`);
  }
  return texts;
}
