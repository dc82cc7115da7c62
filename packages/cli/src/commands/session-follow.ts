import type { SessionItem } from '@stoa/client';
import type { Context, GlobalFlags } from '../context.js';
import { RunTerminal } from '../headless/run-terminal.js';
import { SpokenText } from '../headless/spoken-text.js';
import { howToAnswer } from '../terminal/approval-text.js';
import { connectionNotices } from '../terminal/connection-notices.js';
import { journalText } from '../terminal/journal-text.js';
import { printableJson } from '../terminal/printable.js';

export interface FollowSessionOptions extends GlobalFlags {
  readonly since?: number;
}

/** Everything that happens in a session, words as they are written, until Ctrl-C or its end. */
export async function followSession(
  context: Context,
  [sessionId = '']: readonly string[],
  { since }: FollowSessionOptions,
): Promise<void> {
  const { headSeq } = await context.client.sessions.get(sessionId);
  const interrupted = new AbortController();
  const forget = context.io.onInterrupt(() => interrupted.abort());
  const show = context.flags.json
    ? (item: SessionItem) => context.line(printableJson(item))
    : shower(context);
  try {
    const items = context.client.follow(`session:${sessionId}`, {
      after: since ?? headSeq,
      signal: interrupted.signal,
      onNotice: connectionNotices(context),
    });
    for await (const item of items) {
      show(item);
      if (item.type === 'session_ended') break;
    }
  } finally {
    forget();
  }
}

function shower(context: Context): (item: SessionItem) => void {
  const spoken = new SpokenText();
  const words = new RunTerminal(context);
  return (item) => {
    switch (item.type) {
      case 'gap':
        context.say(`events ${item.after + 1} to ${item.oldest - 1} are no longer kept`);
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
