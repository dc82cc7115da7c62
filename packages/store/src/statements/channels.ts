import type { EventData, Metadata } from '@stoa/protocol';
import { dump, type Page, type Row } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface ChannelRow {
  topicId: number;
  channelId: string;
  title: string;
  description: string | null;
  purpose: string | null;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
  archivedAt: number | null;
  metadata: Json<Metadata>;
  memberCount: number;
  paused: number;
  /** JSON of the settings. */
  settings: string;
  /** How many members are sessions. */
  sessionCount: number;
}

/** A channel with data of its log and its newest message. */
export interface ChannelListRow extends ChannelRow {
  head: number;
  messageCount: number | null;
  lastMessageId: string | null;
  lastMessageAt: number | null;
  lastBody: Json<EventData<'message_posted'>> | null;
  lastDeletedAt: number | null;
}

/** What a write needs before it decides: the channel, and the caller's membership. */
export interface OpenChannelRow {
  topicId: number;
  createdBy: string;
  archivedAt: number | null;
  memberCount: number;
  sessionCount: number;
  memberId: string | null;
  memberName: string | null;
}

const OPEN = `SELECT c."topicId", c."createdBy", c."archivedAt", c."memberCount", c."sessionCount",
    m."memberId", m."displayName" AS "memberName"
  FROM "channels" c LEFT JOIN "members" m ON m."topicId" = c."topicId" AND m."actorId" = :actorId
  WHERE c."channelId" = :channelId`;

/** Hot. Opens a channel for reading. */
export const openChannel = statement<{ channelId: string; actorId: string }, OpenChannelRow>(OPEN);

/**
 * Hot. Opens a channel for writing. On PostgreSQL this locks the topic row, so that writers of one channel take
 * turns.
 */
export const lockChannel = statement<{ channelId: string; actorId: string }, OpenChannelRow>({
  sqlite: OPEN,
  postgres: OPEN,
  lock: `SELECT 1 FROM "topics" WHERE "id" =
    (SELECT "topicId" FROM "channels" WHERE "channelId" = :channelId) FOR UPDATE`,
});

export const insertChannel = statement<{
  topicId: number;
  channelId: string;
  title: string;
  description: string | null;
  purpose: string | null;
  createdBy: string;
  at: number;
  metadata: Json<Metadata>;
  settings: string;
}>(
  `INSERT INTO "channels" ("topicId", "channelId", "title", "description", "purpose", "createdBy", "createdAt", "updatedAt", "metadata", "settings")
   VALUES (:topicId, :channelId, :title, :description, :purpose, :createdBy, :at, :at, :metadata, :settings)`,
);

const COLUMNS = `c.*, (SELECT max(h."seq") FROM "events" h WHERE h."topicId" = c."topicId") AS "head",
    m."ordinal" AS "messageCount", m."messageId" AS "lastMessageId", m."createdAt" AS "lastMessageAt",
    m."deletedAt" AS "lastDeletedAt", e."body" AS "lastBody"`;
const SIZE = `c."channelId", octet_length(c."metadata") + coalesce(octet_length(e."body"), 0) AS "bytes"`;
const FROM = `FROM "channels" c
  LEFT JOIN "messages" m ON m."topicId" = c."topicId"
    AND m."seq" = (SELECT max(l."seq") FROM "messages" l WHERE l."topicId" = c."topicId")
  LEFT JOIN "events" e ON e."topicId" = m."topicId" AND e."seq" = m."bodySeq"`;

export const findChannel = statement<{ channelId: string }, ChannelListRow>(
  `SELECT ${COLUMNS} ${FROM} WHERE c."channelId" = :channelId`,
);

const MATCHES = `(:pattern = '' OR lower(c."channelId") LIKE :pattern ESCAPE '\\' OR lower(c."title") LIKE :pattern ESCAPE '\\'
  OR lower(coalesce(c."description", '')) LIKE :pattern ESCAPE '\\' OR lower(coalesce(c."purpose", '')) LIKE :pattern ESCAPE '\\')`;
const ARCHIVED = `(:archived = 'include' OR (:archived = 'only') = (c."archivedAt" IS NOT NULL))`;
const LIST = (columns: string, order: string): string =>
  `SELECT ${columns} ${FROM} WHERE c."channelId" > :after ${order} AND ${ARCHIVED} AND ${MATCHES} ORDER BY c."channelId" ${order} LIMIT :limit`;

type ChannelPage = { after: string; archived: string; pattern: string; limit: number };
const list = (columns: string) => ({
  sqlite: LIST(columns, 'COLLATE BINARY'),
  postgres: LIST(columns, 'COLLATE "C"'),
});

/** Ordered by the bytes of the id on both engines, so that page boundaries are the same. */
export const listChannels = statement<ChannelPage, ChannelListRow>(list(COLUMNS));

/** The sizes of the same page, without reading the newest messages. */
export const listChannelSizes = statement<ChannelPage, { channelId: string; bytes: number }>(
  list(SIZE),
);

export const updateChannel = statement<{
  topicId: number;
  title: string;
  description: string | null;
  purpose: string | null;
  metadata: Json<Metadata>;
  paused: number;
  settings: string;
  at: number;
}>(
  `UPDATE "channels" SET "title" = :title, "description" = :description, "purpose" = :purpose,
     "metadata" = :metadata, "paused" = :paused, "settings" = :settings, "updatedAt" = :at WHERE "topicId" = :topicId`,
);

export type ChannelFieldsRow = Pick<
  ChannelRow,
  | 'channelId'
  | 'title'
  | 'description'
  | 'purpose'
  | 'metadata'
  | 'paused'
  | 'settings'
  | 'archivedAt'
>;

export const findChannelFields = statement<{ topicId: number }, ChannelFieldsRow>(
  `SELECT "channelId", "title", "description", "purpose", "metadata", "paused", "settings", "archivedAt"
   FROM "channels" WHERE "topicId" = :topicId`,
);

export const findChannelSettings = statement<{ channelId: string }, Pick<ChannelRow, 'settings'>>(
  `SELECT "settings" FROM "channels" WHERE "channelId" = :channelId`,
);

export const setChannelArchived = statement<{
  topicId: number;
  archivedAt: number | null;
  at: number;
}>(
  `UPDATE "channels" SET "archivedAt" = :archivedAt, "updatedAt" = :at WHERE "topicId" = :topicId`,
);

export const countMember = statement<{
  topicId: number;
  change: number;
  sessions: number;
  at: number;
}>(
  `UPDATE "channels" SET "memberCount" = "memberCount" + :change,
     "sessionCount" = "sessionCount" + :sessions, "updatedAt" = :at WHERE "topicId" = :topicId`,
);

export const deleteChannel = statement<{ topicId: number }>(
  `DELETE FROM "channels" WHERE "topicId" = :topicId`,
);

export const countChannels = statement<object, { count: number }>(
  `SELECT count(*) AS "count" FROM "channels"`,
);

/** The tables that the events of channels fill. */
export const CHANNEL_TABLES = {
  channels: dump('channels', '"channelId"'),
  members: dump('members', '"joinedAt", "memberId"'),
  messages: dump('messages', '"seq"'),
  reactions: dump('reactions', '"seq"'),
  pins: dump('pins', '"seq"'),
  attachments: statement<Page, Row>(
    `SELECT a.* FROM "attachments" a JOIN "messages" m ON m."topicId" = a."topicId" AND m."messageId" = a."messageId"
   WHERE a."topicId" = :topicId ORDER BY m."seq", a."assetId" LIMIT :limit OFFSET :offset`,
  ),
};
