import { verb } from '../sql/verb.js';

export interface MemberRow {
  topicId: number;
  memberId: string;
  memberKind: string;
  actorId: string;
  displayName: string;
  role: string | null;
  joinedAt: number;
  metadata: string;
}

export const findMember = verb<{ topicId: number; memberId: string }, MemberRow>(
  `SELECT * FROM "members" WHERE "topicId" = :topicId AND "memberId" = :memberId`,
);

export const findMemberByActor = verb<{ topicId: number; actorId: string }, MemberRow>(
  `SELECT * FROM "members" WHERE "topicId" = :topicId AND "actorId" = :actorId`,
);

export const listMembers = verb<{ topicId: number }, MemberRow>(
  `SELECT * FROM "members" WHERE "topicId" = :topicId ORDER BY "joinedAt", "memberId"`,
);

export const upsertMember = verb<MemberRow>(
  `INSERT INTO "members" ("topicId", "memberId", "memberKind", "actorId", "displayName", "role", "joinedAt", "metadata")
   VALUES (:topicId, :memberId, :memberKind, :actorId, :displayName, :role, :joinedAt, :metadata)
   ON CONFLICT ("topicId", "memberId") DO UPDATE SET "displayName" = excluded."displayName",
     "role" = excluded."role", "metadata" = excluded."metadata"`,
);

export const deleteMember = verb<{ topicId: number; memberId: string }>(
  `DELETE FROM "members" WHERE "topicId" = :topicId AND "memberId" = :memberId`,
);
