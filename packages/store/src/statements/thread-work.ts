import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface ThreadWorkRow {
  topicId: number;
  rootMessageId: string;
  /** The event that changed it last; it holds the whole record. */
  seq: number;
  topicKind: string;
  /** 1 or 0. */
  isOpen: number;
  initiativeKey: string | null;
  /** When a stimulus began the thread. */
  rootPostedAt: number | null;
  followedUpAt: number | null;
}

export type FullThreadWorkRow = ThreadWorkRow & { changed: Json<EventData<'thread_work_changed'>> };

const full = (index = ''): string => `SELECT w.*, e."body" AS "changed" FROM "threadWork" w ${index}
  JOIN "events" e ON e."topicId" = w."topicId" AND e."seq" = w."seq"`;
/** Makes SQLite use the index of open work, of which there is little. */
const open = (rest: string) => ({
  sqlite: `${full('INDEXED BY "threadWorkOpen"')} ${rest}`,
  postgres: `${full()} ${rest}`,
});

export const putThreadWork = statement<ThreadWorkRow>(
  `INSERT INTO "threadWork" ("topicId", "rootMessageId", "seq", "topicKind", "isOpen", "initiativeKey",
     "rootPostedAt", "followedUpAt")
   VALUES (:topicId, :rootMessageId, :seq, :topicKind, :isOpen, :initiativeKey, :rootPostedAt, :followedUpAt)
   ON CONFLICT ("topicId", "rootMessageId") DO UPDATE SET "seq" = excluded."seq",
     "topicKind" = excluded."topicKind", "isOpen" = excluded."isOpen",
     "initiativeKey" = excluded."initiativeKey", "rootPostedAt" = excluded."rootPostedAt",
     "followedUpAt" = excluded."followedUpAt"`,
);

export const findThreadWork = statement<
  { topicId: number; rootMessageId: string },
  FullThreadWorkRow
>(`${full()} WHERE w."topicId" = :topicId AND w."rootMessageId" = :rootMessageId`);

/** Newest thread first. */
export const listThreadWork = statement<
  { topicId: number; open: number; before: string; limit: number },
  FullThreadWorkRow
>(
  `${full()} WHERE w."topicId" = :topicId AND w."rootMessageId" < :before AND (:open = 0 OR w."isOpen" = 1)
   ORDER BY w."rootMessageId" DESC LIMIT :limit`,
);

/** The open work of an initiative, newest first. */
export const findInitiative = statement<
  { topicId: number; initiativeKey: string },
  FullThreadWorkRow
>(
  open(`WHERE w."topicId" = :topicId AND w."isOpen" = 1 AND w."initiativeKey" = :initiativeKey
    ORDER BY w."rootMessageId" DESC LIMIT 1`),
);

/** Threads that stimuli began and that have recent messages. */
export const countActiveRoots = statement<{ topicId: number; since: number }, { count: number }>({
  sqlite: activeRoots('INDEXED BY "threadWorkOpen"'),
  postgres: activeRoots(''),
});

function activeRoots(index: string): string {
  return `SELECT count(*) AS "count" FROM "threadWork" w ${index}
    JOIN "messages" m ON m."topicId" = w."topicId" AND m."messageId" = w."rootMessageId"
    WHERE w."topicId" = :topicId AND w."isOpen" = 1 AND w."topicKind" = 'autonomous_root'
      AND coalesce(m."lastReplyAt", m."createdAt") > :since`;
}

/** When stimuli last began threads, newest first. */
export const listRootPosts = statement<
  { topicId: number; since: number; limit: number },
  { rootPostedAt: number }
>(
  `SELECT "rootPostedAt" FROM "threadWork" WHERE "topicId" = :topicId AND "rootPostedAt" IS NOT NULL
     AND "rootPostedAt" > :since ORDER BY "rootPostedAt" DESC LIMIT :limit`,
);

/**
 * Open work without a message since a time and without a reminder since the last message; only in channels with this
 * setting.
 */
export const listIdleWork = statement<
  { before: number; asks: string; limit: number },
  { channelId: string; rootMessageId: string; settings: string; lastAt: number }
>({ sqlite: idleWork('INDEXED BY "threadWorkOpen"'), postgres: idleWork('') });

function idleWork(index: string): string {
  const last = 'coalesce(m."lastReplyAt", m."createdAt")';
  return `SELECT c."channelId", w."rootMessageId", c."settings", ${last} AS "lastAt"
    FROM "channels" c
    JOIN "threadWork" w ${index} ON w."topicId" = c."topicId"
    JOIN "messages" m ON m."topicId" = w."topicId" AND m."messageId" = w."rootMessageId"
    WHERE c."settings" LIKE '' || :asks AND c."paused" = 0 AND c."archivedAt" IS NULL AND w."isOpen" = 1
      AND m."deletedAt" IS NULL AND ${last} <= :before AND ${last} > coalesce(w."followedUpAt", 0)
    ORDER BY w."topicId", w."rootMessageId" LIMIT :limit`;
}

/** All open work, by channel. */
export const listOpenWork = statement<
  { topicId: number; rootMessageId: string; limit: number },
  FullThreadWorkRow & { channelId: string }
>(openWork());

function openWork() {
  const rest = `JOIN "channels" c ON c."topicId" = w."topicId"
    WHERE w."isOpen" = 1 AND (w."topicId" > :topicId
      OR (w."topicId" = :topicId AND w."rootMessageId" > :rootMessageId))
    ORDER BY w."topicId", w."rootMessageId" LIMIT :limit`;
  const text = (index: string): string =>
    `SELECT w.*, c."channelId", e."body" AS "changed" FROM "threadWork" w ${index}
     JOIN "events" e ON e."topicId" = w."topicId" AND e."seq" = w."seq" ${rest}`;
  return { sqlite: text('INDEXED BY "threadWorkOpen"'), postgres: text('') };
}

/** Threads with recently posted stimuli but without thread work. */
export const listLostWork = statement<
  { newest: number },
  { channelId: string; rootMessageId: string }
>(
  `SELECT DISTINCT c."channelId", s."rootMessageId" FROM (
     SELECT "topicId", "rootMessageId" FROM "stimuli" WHERE "state" = 'dispatched'
     ORDER BY "dispatchedAt" DESC LIMIT :newest) s
   JOIN "channels" c ON c."topicId" = s."topicId"
   LEFT JOIN "threadWork" w ON w."topicId" = s."topicId" AND w."rootMessageId" = s."rootMessageId"
   WHERE w."rootMessageId" IS NULL ORDER BY c."channelId", s."rootMessageId"`,
);

/** The tables that the events of thread work fill. */
export const WORK_TABLES = { threadWork: dump('threadWork', '"rootMessageId"') };
