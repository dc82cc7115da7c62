import type { SessionItem } from '@stoa/client';
import type { Context, GlobalFlags } from '../context.js';
import { sessionPrinter } from '../headless/session-printer.js';
import { connectionNotices } from '../terminal/connection-notices.js';
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
    : sessionPrinter(context);
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
