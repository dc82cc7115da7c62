import { z } from 'zod';
import { DISPLAY_NAME_MODES, MEMBER_KINDS } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { PermissionMode } from './agent.js';
import { ParticipationMode } from './autonomy.js';
import { ActorId, EpochMs, MemberId, Metadata } from './ids.js';

export const MemberKind = z.enum(MEMBER_KINDS);
export const DisplayName = z.string().max(LIMITS.displayNameChars).regex(/\S/);

/** Keep the given name, or follow the name of the agent. */
export const DisplayNameMode = z.enum(DISPLAY_NAME_MODES);
export type DisplayNameMode = z.infer<typeof DisplayNameMode>;

const ExpertiseTag = z.string().min(1).max(LIMITS.displayNameChars);

/** Only for members that are sessions. */
const participation = {
  displayNameMode: DisplayNameMode.optional(),
  participationMode: ParticipationMode.optional(),
  muted: z.boolean().optional(),
  expertiseTags: z.array(ExpertiseTag).max(LIMITS.expertiseTags).optional(),
};

export const Member = z.strictObject({
  memberId: MemberId,
  memberKind: MemberKind,
  actorId: ActorId,
  displayName: DisplayName,
  role: z.string().max(LIMITS.titleChars).optional(),
  ...participation,
  /** What a session may currently do without approval. It is not part of the log. */
  mode: PermissionMode.optional(),
  /** Warnings for the person who added the member. Not part of the log. */
  warnings: z.array(z.string()).optional(),
  joinedAt: EpochMs,
  metadata: Metadata,
});
export type Member = z.infer<typeof Member>;

/**
 * Joining again updates the member and keeps `joinedAt`. Without `actorId` the caller joins. `null` makes the
 * participation mode follow the channel again.
 */
export const UpsertMember = z.strictObject({
  memberId: MemberId.optional(),
  actorId: ActorId.optional(),
  displayName: DisplayName.optional(),
  role: z.string().max(LIMITS.titleChars).optional(),
  ...participation,
  participationMode: ParticipationMode.nullable().optional(),
  metadata: Metadata.optional(),
});
export type UpsertMember = z.infer<typeof UpsertMember>;
