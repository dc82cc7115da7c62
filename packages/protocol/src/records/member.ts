import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { ActorId, EpochMs, MemberId } from './ids.js';
import { Metadata } from './metadata.js';

export const MemberKind = z.enum(['human_actor']);
export const DisplayName = z.string().max(LIMITS.displayNameChars).regex(/\S/);

export const Member = z.strictObject({
  memberId: MemberId,
  memberKind: MemberKind,
  actorId: ActorId,
  displayName: DisplayName,
  role: z.string().max(LIMITS.titleChars).optional(),
  joinedAt: EpochMs,
  metadata: Metadata,
});
export type Member = z.infer<typeof Member>;

/** Joining twice updates; `joinedAt` is kept. Without `actorId` the caller joins. */
export const UpsertMember = z.strictObject({
  memberId: MemberId.optional(),
  actorId: ActorId.optional(),
  displayName: DisplayName.optional(),
  role: z.string().max(LIMITS.titleChars).optional(),
  metadata: Metadata.optional(),
});
export type UpsertMember = z.infer<typeof UpsertMember>;
