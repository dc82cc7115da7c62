import type { EventData } from '@stoa/protocol';
import { type Json, type Statement, statement } from '../sql/statement.js';

export interface MessageRow {
  topicId: number;
  seq: number;
  /** The position of the message in its channel: 1, 2, 3. */
  ordinal: number;
  messageId: string;
  rootMessageId: string | null;
  authorId: string;
  bodySeq: number;
  createdAt: number;
  editedAt: number | null;
  deletedAt: number | null;
  replyCount: number;
  lastReplyAt: number | null;
  /** The newer marker of the same progress. */
  supersededBy: string | null;
}

/** A message with the event that posted it and, if it was edited, the event with its current content. */
export interface FullMessageRow extends MessageRow {
  posted: Json<EventData<'message_posted'>>;
  edited: Json<EventData<'message_edited'>> | null;
}

/** Hot. */
export const insertMessage = statement<{
  topicId: number;
  seq: number;
  messageId: string;
  rootMessageId: string | null;
  authorId: string;
  at: number;
}>(
  `INSERT INTO "messages" ("topicId", "seq", "ordinal", "messageId", "rootMessageId", "authorId", "bodySeq", "createdAt")
   VALUES (:topicId, :seq,
     coalesce((SELECT l."ordinal" FROM "messages" l WHERE l."topicId" = :topicId ORDER BY l."seq" DESC LIMIT 1), 0) + 1,
     :messageId, :rootMessageId, :authorId, :seq, :at)`,
);

export const countReply = statement<{ topicId: number; rootMessageId: string; at: number }>(
  `UPDATE "messages" SET "replyCount" = "replyCount" + 1, "lastReplyAt" = :at
   WHERE "topicId" = :topicId AND "messageId" = :rootMessageId`,
);

export const setMessageBody = statement<{
  topicId: number;
  messageId: string;
  seq: number;
  at: number;
}>(
  `UPDATE "messages" SET "bodySeq" = :seq, "editedAt" = :at
   WHERE "topicId" = :topicId AND "messageId" = :messageId`,
);

export const setMessageDeleted = statement<{ topicId: number; messageId: string; at: number }>(
  `UPDATE "messages" SET "deletedAt" = :at WHERE "topicId" = :topicId AND "messageId" = :messageId`,
);

export const setMessageSuperseded = statement<{ topicId: number; messageId: string; by: string }>(
  `UPDATE "messages" SET "supersededBy" = :by WHERE "topicId" = :topicId AND "messageId" = :messageId`,
);

export const findMessageRow = statement<{ topicId: number; messageId: string }, MessageRow>(
  `SELECT * FROM "messages" WHERE "topicId" = :topicId AND "messageId" = :messageId`,
);

/** The first message after a sequence, by the time it was posted. */
export const findMessageAfter = statement<
  { topicId: number; seq: number },
  { seq: number; createdAt: number }
>(
  `SELECT "seq", "createdAt" FROM "messages" WHERE "topicId" = :topicId AND "seq" > :seq
   ORDER BY "seq" LIMIT 1`,
);

const FULL = 'm.*, p."body" AS "posted", e."body" AS "edited"';
const SIZE = 'm."seq", octet_length(p."body") + coalesce(octet_length(e."body"), 0) AS "bytes"';
const full = (index: string, columns = FULL): string => `SELECT ${columns}
  FROM "messages" m ${index}
  JOIN "events" p ON p."topicId" = m."topicId" AND p."seq" = m."seq"
  LEFT JOIN "events" e ON m."bodySeq" <> m."seq" AND e."topicId" = m."topicId" AND e."seq" = m."bodySeq"`;

export const findMessage = statement<{ topicId: number; messageId: string }, FullMessageRow>(
  `${full('')} WHERE m."topicId" = :topicId AND m."messageId" = :messageId`,
);

/** Searches every channel: the index of ids is per channel. */
export const findChannelOfMessage = statement<{ messageId: string }, { channelId: string }>(
  `SELECT c."channelId" FROM "channels" c WHERE EXISTS (
     SELECT 1 FROM "messages" m WHERE m."topicId" = c."topicId" AND m."messageId" = :messageId)`,
);

type Page = { topicId: number; seq: number; limit: number };
type ThreadPage = Page & { rootMessageId: string };

/**
 * Names the index for SQLite. By default it reads the whole channel in the requested order: opening a thread took 34
 * times as long among a million messages as among ten thousand.
 */
interface Cut {
  readonly index: string;
  readonly where: string;
}
const ALL: Cut = { index: '', where: '' };
const FEED: Cut = { index: 'INDEXED BY "messagesOfFeed"', where: 'AND m."rootMessageId" IS NULL' };
const THREAD: Cut = {
  index: 'INDEXED BY "messagesOfThread"',
  where: 'AND m."rootMessageId" = :rootMessageId',
};

export interface MessageSize {
  seq: number;
  bytes: number;
}

export interface MessagePages<P extends Page> {
  readonly rows: Statement<P, FullMessageRow>;
  /** The size of each message of the page, without reading the bodies. */
  readonly sizes: Statement<P, MessageSize>;
}

function pages<P extends Page>(order: string, { index, where }: Cut): MessagePages<P> {
  const rest = `WHERE m."topicId" = :topicId ${where} ${order} LIMIT :limit`;
  const texts = (columns: string) => ({
    sqlite: `${full(index, columns)} ${rest}`,
    postgres: `${full('', columns)} ${rest}`,
  });
  return {
    rows: statement<P, FullMessageRow>(texts(FULL)),
    sizes: statement<P, MessageSize>(texts(SIZE)),
  };
}
const both = <P extends Page>(cut: Cut) => ({
  before: pages<P>('AND m."seq" < :seq ORDER BY m."seq" DESC', cut),
  after: pages<P>('AND m."seq" > :seq ORDER BY m."seq"', cut),
});

export const MESSAGE_PAGES = both<Page>(ALL);
export const FEED_PAGES = both<Page>(FEED);
export const THREAD_PAGES = both<ThreadPage>(THREAD);

/** Counts at most `limit` messages, so that a million unread messages cost as much as a thousand. */
export const countUnread = statement<
  { topicId: number; seq: number; actorId: string; limit: number },
  { count: number }
>(
  `SELECT count(*) AS "count" FROM (
     SELECT 1 FROM "messages" WHERE "topicId" = :topicId AND "seq" > :seq
       AND "authorId" <> :actorId AND "deletedAt" IS NULL LIMIT :limit) AS "unread"`,
);

export const findMessageAt = statement<
  { topicId: number; seq: number },
  FullMessageRow & { channelId: string }
>(
  `SELECT m.*, p."body" AS "posted", e."body" AS "edited", c."channelId" FROM "messages" m
   JOIN "channels" c ON c."topicId" = m."topicId"
   JOIN "events" p ON p."topicId" = m."topicId" AND p."seq" = m."seq"
   LEFT JOIN "events" e ON m."bodySeq" <> m."seq" AND e."topicId" = m."topicId" AND e."seq" = m."bodySeq"
   WHERE m."topicId" = :topicId AND m."seq" = :seq`,
);

export interface SpokenRow {
  messageId: string;
  authorId: string;
  createdAt: number;
}

/** The authors in a thread, newest first, without the root. */
export const listAuthorsInThread = statement<
  { topicId: number; rootMessageId: string; limit: number },
  SpokenRow
>({
  sqlite: `SELECT "messageId", "authorId", "createdAt" FROM "messages" INDEXED BY "messagesOfThread"
    WHERE "topicId" = :topicId AND "rootMessageId" = :rootMessageId ORDER BY "seq" DESC LIMIT :limit`,
  postgres: `SELECT "messageId", "authorId", "createdAt" FROM "messages"
    WHERE "topicId" = :topicId AND "rootMessageId" = :rootMessageId ORDER BY "seq" DESC LIMIT :limit`,
});

/** How many of the newest messages of a channel an actor wrote since a time. */
export const countPostsSince = statement<
  { topicId: number; authorId: string; since: number; among: number },
  { count: number }
>(
  `SELECT count(*) AS "count" FROM (
     SELECT "authorId", "createdAt" FROM "messages" WHERE "topicId" = :topicId
     ORDER BY "seq" DESC LIMIT :among) AS "newest"
   WHERE "authorId" = :authorId AND "createdAt" > :since`,
);

/** The authors in a channel, newest first. */
export const listAuthorsInChannel = statement<
  { topicId: number; limit: number },
  SpokenRow & { rootMessageId: string | null }
>(
  `SELECT "messageId", "authorId", "createdAt", "rootMessageId" FROM "messages" WHERE "topicId" = :topicId
   ORDER BY "seq" DESC LIMIT :limit`,
);
