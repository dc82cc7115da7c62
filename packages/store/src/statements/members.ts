import type { Metadata } from '@stoa/protocol';
import { type Json, statement } from '../sql/statement.js';

export interface MemberRow {
  topicId: number;
  memberId: string;
  memberKind: string;
  actorId: string;
  displayName: string;
  role: string | null;
  joinedAt: number;
  metadata: Json<Metadata>;
  /** JSON of the participation settings of a session. */
  settings: string;
}

/** A member that is a session, with the state of the session. */
export interface SessionMemberRow extends MemberRow {
  sessionTopicId: number | null;
  endedAt: number | null;
  liveRuns: number;
  waitingItems: number;
}

export const findMember = statement<{ topicId: number; memberId: string }, MemberRow>(
  `SELECT * FROM "members" WHERE "topicId" = :topicId AND "memberId" = :memberId`,
);

export const findMemberByActor = statement<{ topicId: number; actorId: string }, MemberRow>(
  `SELECT * FROM "members" WHERE "topicId" = :topicId AND "actorId" = :actorId`,
);

/** With the current nicknames of the agents of sessions. */
export const listMembers = statement<
  { topicId: number },
  MemberRow & { nickname: string | null; mode: string | null }
>(
  `SELECT m.*, n."nickname", s."mode" FROM "members" m
   LEFT JOIN "sessions" s ON m."memberKind" = 'session' AND s."sessionId" = substr(m."actorId", 9)
   LEFT JOIN "nicknames" n ON n."agentId" = s."agentId"
   WHERE m."topicId" = :topicId ORDER BY m."joinedAt", m."memberId"`,
);

export const upsertMember = statement<MemberRow>(
  `INSERT INTO "members" ("topicId", "memberId", "memberKind", "actorId", "displayName", "role", "joinedAt", "metadata", "settings")
   VALUES (:topicId, :memberId, :memberKind, :actorId, :displayName, :role, :joinedAt, :metadata, :settings)
   ON CONFLICT ("topicId", "memberId") DO UPDATE SET "displayName" = excluded."displayName",
     "role" = excluded."role", "metadata" = excluded."metadata", "settings" = excluded."settings"`,
);

export const deleteMember = statement<{ topicId: number; memberId: string }>(
  `DELETE FROM "members" WHERE "topicId" = :topicId AND "memberId" = :memberId`,
);

/** The channels of an actor. */
export const listChannelsOf = statement<{ actorId: string }, { channelId: string }>(
  `SELECT c."channelId" FROM "members" m JOIN "channels" c ON c."topicId" = m."topicId"
   WHERE m."actorId" = :actorId ORDER BY c."channelId"`,
);

/** The members that can get a turn in a channel. */
export const listSessionMembers = statement<{ topicId: number }, SessionMemberRow>(
  `SELECT m.*, s."topicId" AS "sessionTopicId", s."endedAt",
     (SELECT count(*) FROM "runs" r WHERE r."topicId" = s."topicId"
       AND r."status" IN ('queued', 'running', 'waiting_approval', 'waiting_answer')) AS "liveRuns",
     (SELECT count(*) FROM "inboxItems" i WHERE i."topicId" = s."topicId" AND i."state" = 'waiting') AS "waitingItems"
   FROM "members" m LEFT JOIN "sessions" s ON s."sessionId" = substr(m."actorId", 9)
   WHERE m."topicId" = :topicId AND m."memberKind" = 'session' ORDER BY m."memberId"`,
);
