import type { SessionItem } from '@stoa/client';
import type { Context } from '../context.js';
import { howToAnswer } from '../terminal/approval-text.js';
import { journalText } from '../terminal/journal-text.js';
import { RunTerminal } from './run-terminal.js';
import { SpokenText } from './spoken-text.js';

/** Writes what happens in a session, words as they come. */
export function sessionPrinter(context: Context): (item: SessionItem) => void {
  const spoken = new SpokenText();
  const words = new RunTerminal(context);
  return (item) => {
    switch (item.type) {
      case 'gap':
        context.say(`events ${item.after + 1} to ${item.oldest - 1} are no longer stored`);
        break;
      case 'text_chunk':
        words.text(spoken.chunk(item));
        break;
      case 'model_message':
        words.text(spoken.message(item));
        break;
      default: {
        words.text(spoken.close());
        const style = { paint: context.paint, now: context.io.now(), full: false };
        const text = journalText(item, style);
        if (text !== undefined) context.line(text);
        if (item.type === 'waiting_approval') context.say(howToAnswer(item.data.approval));
      }
    }
  };
}
