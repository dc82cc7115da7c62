import { LiveDrafts } from '@stoa/client';
import type { Stamped } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { connectionNotices } from '../terminal/connection-notices.js';
import { eventText } from '../terminal/event-text.js';
import { type MessageStyle, messageText } from '../terminal/message-text.js';
import { printableJson } from '../terminal/printable.js';
import { WritingLine } from '../terminal/writing-line.js';

export interface TailOptions extends GlobalFlags {
  readonly follow?: boolean;
  readonly lines: number;
  readonly since?: number;
  readonly ids?: boolean;
  readonly drafts?: boolean;
}

/**
 * A script gets the log: every event after a position, one JSON line each. A person gets messages as
 * they are now, then what happens, and on a terminal who is writing. Both start from one sequence, so
 * nothing is shown twice or missed.
 */
export async function tail(
  context: Context,
  [channelId = '']: readonly string[],
  options: TailOptions,
): Promise<void> {
  const { headSeq } = await context.client.channels.get(channelId);
  const start = options.since ?? (await startOfLast(context, channelId, options.lines, headSeq));
  if (!context.flags.json) {
    await showMessages(context, channelId, start, headSeq, options);
    if (options.follow) await follow(context, channelId, headSeq, options);
  } else if (options.follow) await follow(context, channelId, start, options);
  else await showEvents(context, channelId, start, headSeq);
}

async function startOfLast(
  context: Context,
  channelId: string,
  lines: number,
  head: number,
): Promise<number> {
  const before = head + 1;
  const { messages } = await context.client.messages.list(channelId, { before, limit: lines });
  const first = messages.at(0);
  return first === undefined ? head : first.seq - 1;
}

function styleOf(context: Context, options: TailOptions): MessageStyle {
  return { paint: context.paint, now: context.io.now(), ids: options.ids ?? false };
}

async function showMessages(
  context: Context,
  channelId: string,
  start: number,
  head: number,
  options: TailOptions,
): Promise<void> {
  const style = styleOf(context, options);
  for await (const page of context.client.messages.pages(channelId, { after: start, limit: 200 })) {
    for (const message of page) {
      if (message.seq > head) return;
      context.line(messageText(message, style));
    }
  }
}

async function showEvents(
  context: Context,
  channelId: string,
  start: number,
  head: number,
): Promise<void> {
  let after = start;
  while (after < head) {
    const page = await context.client.topics.read(`channel:${channelId}`, { after, limit: 200 });
    const last = page.events.at(-1);
    if (!last) return;
    for (const event of page.events) {
      if (event.seq <= head) context.line(printableJson(event));
    }
    after = last.seq;
  }
}

async function follow(
  context: Context,
  channelId: string,
  after: number,
  options: TailOptions,
): Promise<void> {
  const interrupted = new AbortController();
  const forget = context.io.onInterrupt(() => interrupted.abort());
  const drafts = new LiveDrafts();
  const line = new WritingLine(
    (text) => context.io.out(text),
    () => context.io.columns,
  );
  const isWatched = !context.flags.json && context.io.outIsTerminal;
  const notices = connectionNotices(context);
  const items = context.client.follow(`channel:${channelId}`, {
    after,
    drafts: true,
    onNotice: (notice) => {
      line.clear();
      notices(notice);
    },
    signal: interrupted.signal,
  });
  try {
    for await (const item of items) {
      line.clear();
      if (item.type === 'draft' || item.type === 'draft_ended') {
        drafts.take(item);
        if (context.flags.json && options.drafts) context.line(printableJson(item));
      } else if (item.type === 'gap') {
        context.say(`events ${item.after + 1} to ${item.oldest - 1} are no longer stored`);
        if (context.flags.json) context.line(printableJson(item));
      } else {
        const text = lineOf(context, item, options);
        if (text !== undefined) context.line(text);
      }
      if (isWatched) line.show(drafts.writing);
    }
  } finally {
    line.clear();
    forget();
  }
}

function lineOf(context: Context, event: Stamped, options: TailOptions): string | undefined {
  return context.flags.json ? printableJson(event) : eventText(event, styleOf(context, options));
}
