import type { Member, UpsertMember } from '@stoa/protocol';
import { decodeValue } from '../kernel/codec.js';
import { defined } from '../kernel/defined.js';

type Participation = Pick<
  Member,
  'displayNameMode' | 'participationMode' | 'muted' | 'expertiseTags'
>;

/** The settings of a session as a member, as they are stored; people have none. */
export function participationText(member: Participation): string {
  const { displayNameMode, participationMode, muted, expertiseTags } = member;
  return JSON.stringify({ displayNameMode, participationMode, muted, expertiseTags });
}

export const participationOf = (text: string): Participation => decodeValue(text) as Participation;

const FIELDS = ['displayNameMode', 'participationMode', 'muted', 'expertiseTags'] as const;

/** The first of these fields that a request sets or clears. */
export const participationFieldIn = (request: UpsertMember): string | undefined =>
  FIELDS.find((name) => request[name] !== undefined);

/** The fields that a request sets. */
export function participationOfRequest(request: UpsertMember): Participation {
  const { displayNameMode, participationMode, muted, expertiseTags } = request;
  return {
    ...defined({ displayNameMode, muted, expertiseTags }),
    ...(participationMode ? { participationMode } : {}),
  };
}

/** The member without a cleared participation mode: the default of the channel then applies. */
export function withoutCleared(member: Member, request: UpsertMember): Member {
  if (request.participationMode !== null) return member;
  const { participationMode: _, ...rest } = member;
  return rest;
}
