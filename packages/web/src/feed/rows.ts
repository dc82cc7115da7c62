import type { Writing } from '@stoa/client';
import type { Message } from '@stoa/protocol';
import type { ChannelView } from '../data/channel-view.js';
import type { Pending } from '../data/pending.js';
import type { Missed } from './missed.js';

/** One line of the feed, in the widest sense: what the virtual list counts. */
export type Row =
  | { readonly kind: 'beginning'; readonly key: string }
  | { readonly kind: 'day'; readonly key: string; readonly at: number }
  | { readonly kind: 'unread'; readonly key: string }
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: Message;
      /** The same author goes on: no need to say again who it is. */
      readonly isContinued: boolean;
      /** A reply that does not stand right behind its thread says what it is about. */
      readonly quotesRoot: boolean;
    }
  | {
      readonly kind: 'pending';
      readonly key: string;
      readonly pending: Pending;
      /** As it will be when it is confirmed, so that nothing moves then. */
      readonly isContinued: boolean;
    }
  | { readonly kind: 'draft'; readonly key: string; readonly writing: Writing };

/** After a longer pause the author is shown again. */
const PAUSE_MS = 5 * 60_000;

interface Reader {
  readonly me: string;
  /** Messages posted while the reader was away; undefined while that is not known. */
  readonly missed: Missed | undefined;
  /** Whether two moments are on one day for the reader. */
  readonly isSameDay: (a: number, b: number) => boolean;
}

export function rowsOf(view: ChannelView, reader: Reader): readonly Row[] {
  const rows: Row[] = [];
  if (view.status === 'ready' && !view.hasOlder) rows.push({ kind: 'beginning', key: 'beginning' });
  let before: Message | undefined;
  const newFrom = firstUnread(view, reader);
  for (const message of view.messages) {
    // A newer marker of the same progress replaces it.
    if (message.supersededByMessageId !== undefined) continue;
    const isNewDay = before === undefined || !reader.isSameDay(before.createdAt, message.createdAt);
    if (isNewDay) rows.push({ kind: 'day', key: `day ${message.seq}`, at: message.createdAt });
    const isFirstUnread = message === newFrom;
    // Above all that is loaded it would say nothing: it may begin still further up.
    if (isFirstUnread && before !== undefined) rows.push({ kind: 'unread', key: 'unread' });
    const isApart = isNewDay || isFirstUnread;
    rows.push({
      kind: 'message',
      key: message.messageId,
      message,
      isContinued: !isApart && before !== undefined && continues(before, message),
      quotesRoot: quotesRoot(before, message),
    });
    before = message;
  }
  const last = before && {
    at: before.createdAt,
    by: before.author.id,
    in: before.threadRootMessageId,
  };
  for (const pending of view.pending) {
    const isContinued =
      last?.by === reader.me &&
      last.in === pending.post.threadRootMessageId &&
      pending.at - last.at < PAUSE_MS;
    rows.push({ kind: 'pending', key: pending.key, pending, isContinued });
  }
  for (const writing of view.writing) rows.push({ kind: 'draft', key: writing.runId, writing });
  return rows;
}

/** Who has written since then has seen what was new. */
function firstUnread(view: ChannelView, { me, missed }: Reader): Message | undefined {
  if (!missed || missed.from === 0 || view.pending.length > 0) return undefined;
  const own = view.messages.findLast(({ author }) => author.id === me)?.seq ?? 0;
  return view.messages.find(
    ({ seq, supersededByMessageId }) =>
      seq > Math.max(missed.from, own) && seq <= missed.to && supersededByMessageId === undefined,
  );
}

function continues(before: Message, message: Message): boolean {
  return (
    before.author.id === message.author.id &&
    before.author.displayName === message.author.displayName &&
    before.threadRootMessageId === message.threadRootMessageId &&
    message.createdAt - before.createdAt < PAUSE_MS
  );
}

function quotesRoot(before: Message | undefined, message: Message): boolean {
  if (message.threadRootMessageId === undefined) return false;
  return before === undefined || threadOf(before) !== message.threadRootMessageId;
}

/** A message that is no reply begins a thread of its own. */
function threadOf({ messageId, threadRootMessageId }: Message): string {
  return threadRootMessageId ?? messageId;
}
