import type { StoredItem } from '@stoa/protocol';
import { textOf } from '@stoa/protocol/constants';
import type { Tx } from '../sql/statement.js';
import { statement } from '../sql/statement.js';
import { findMessageRow } from '../statements/messages.js';

/** How a range of a channel's log changes the text of one message. */
export interface MessageChange {
  /** The sequence of the event that posted the message. */
  readonly seq: number;
  readonly createdAt: number;
  /** Undefined if the message is deleted, or if a later event has its text. */
  readonly text: string | undefined;
}

/** The events after `after`, up to and including `upTo`. */
export interface LogRange {
  readonly topicId: number;
  readonly after: number;
  readonly upTo: number;
}

interface MessageEventRow {
  seq: number;
  type: 'message_posted' | 'message_edited' | 'message_deleted';
  body: string;
  createdAt: number | null;
  bodySeq: number | null;
  deletedAt: number | null;
}

const listMessageEvents = statement<LogRange, MessageEventRow>(
  `SELECT e."seq", e."type", e."body", m."createdAt", m."bodySeq", m."deletedAt" FROM "events" e
   LEFT JOIN "messages" m ON m."topicId" = e."topicId" AND m."seq" = e."seq"
   WHERE e."topicId" = :topicId AND e."seq" > :after AND e."seq" <= :upTo
     AND e."type" IN ('message_posted', 'message_edited', 'message_deleted') ORDER BY e."seq"`,
);

/**
 * The changes of a range, one per message. The table of messages, which is in step with the log, determines which
 * event has the current text, and only that event returns one. So a text belongs to exactly one range, and a message
 * that changed after the range has no text in it.
 */
export function* readChanges(range: LogRange): Tx<MessageChange[]> {
  const changes = new Map<number, MessageChange>();
  for (const row of yield* listMessageEvents.all(range)) {
    const change = row.type === 'message_posted' ? posted(row) : yield* changed(range.topicId, row);
    if (change) changes.set(change.seq, change);
  }
  return [...changes.values()];
}

function posted({
  seq,
  body,
  createdAt,
  bodySeq,
  deletedAt,
}: MessageEventRow): MessageChange | undefined {
  if (createdAt === null || bodySeq !== seq || deletedAt !== null) return undefined;
  return { seq, createdAt, text: bodyText(JSON.parse(body)) };
}

function* changed(topicId: number, row: MessageEventRow): Tx<MessageChange | undefined> {
  const body: unknown = JSON.parse(row.body);
  const message = yield* findMessageRow.first({ topicId, messageId: messageIdOf(body) });
  if (!message) return undefined;
  const { seq, createdAt, bodySeq, deletedAt } = message;
  const isPresent = bodySeq === row.seq && deletedAt === null;
  return { seq, createdAt, text: isPresent ? bodyText(body) : undefined };
}

function messageIdOf(body: unknown): string {
  return (body as { messageId: string }).messageId;
}

/** A line for each item, so that no word spans two items. */
function bodyText(body: unknown): string {
  return textOf((body as { inputItems: readonly StoredItem[] }).inputItems);
}
