import { senderWords } from '@stoa/client';
import type { Stamped } from '@stoa/protocol';
import { textOf } from '@stoa/protocol/constants';
import { bodyOf, withMargin } from './message-text.js';
import type { Painter } from './paint.js';
import { printableLine } from './printable.js';
import { sessionEventText } from './session-event-text.js';
import { clockTime } from './times.js';

export interface JournalStyle {
  readonly paint: Painter;
  readonly now: number;
  /** What tools gave is long: without this only its beginning is shown. */
  readonly full: boolean;
}

const OUTPUT_LINES = 8;

/** One entry of a journal: the author and the text or call. Undefined for bookkeeping. */
export function journalText(event: Stamped, style: JournalStyle): string | undefined {
  const { paint } = style;
  const what = entryText(event, style);
  return what === undefined ? undefined : `${paint.dim(clockTime(event.at, style.now))} ${what}`;
}

function entryText(event: Stamped, style: JournalStyle): string | undefined {
  const { paint } = style;
  const entry = (name: string, text: string): string =>
    `${paint.bold(printableLine(name))}: ${withMargin(text)}`;
  switch (event.type) {
    case 'accepted':
      return entry(senderWords(event.data), bodyOf(event.data.inputItems));
    case 'model_message': {
      const text = textOf(event.data.parts, '');
      return text === '' ? undefined : entry(event.data.identity.displayName, text);
    }
    case 'output_emitted':
      return entry(`${event.data.identity.displayName} (output)`, bodyOf(event.data.items));
    case 'tool_result':
      return resultText(event, style);
    default: {
      const text = sessionEventText(event);
      return text === undefined ? undefined : `${paint.dim('*')} ${text}`;
    }
  }
}

function resultText(
  { data }: Extract<Stamped, { type: 'tool_result' }>,
  { paint, full }: JournalStyle,
): string {
  const lines = data.output.trimEnd().split('\n');
  const shown = full ? lines : lines.slice(0, OUTPUT_LINES);
  const left = lines.length - shown.length;
  const rest = left > 0 ? paint.dim(` … ${left} more lines (--full)`) : '';
  const mark = data.outcome === 'ok' ? '←' : `✗ ${data.outcome}:`;
  return `${paint.dim('*')} ${mark} ${withMargin(shown.join('\n'))}${rest}`;
}
