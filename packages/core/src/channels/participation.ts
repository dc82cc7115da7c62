import type { Member, UpsertMember } from '@stoa/protocol';
import { decodeValue } from '../kernel/codec.js';

type Participation = Pick<
  Member,
  'displayNameMode' | 'participationMode' | 'muted' | 'expertiseTags'
>;

/** How a session takes part, as it is kept; people have nothing of it. */
export function participationText(member: Participation): string {
  const { displayNameMode, participationMode, muted, expertiseTags } = member;
  return JSON.stringify({ displayNameMode, participationMode, muted, expertiseTags });
}

export const participationOf = (text: string): Participation => decodeValue(text) as Participation;

const NAMES = ['displayNameMode', 'participationMode', 'muted', 'expertiseTags'] as const;

/** The first of it that a request names, also to clear it. */
export const namedIn = (request: UpsertMember): string | undefined =>
  NAMES.find((name) => request[name] !== undefined);

/** What of it a request sets. */
export function participationOfRequest(request: UpsertMember): Participation {
  const { displayNameMode, participationMode, muted, expertiseTags } = request;
  return {
    ...(displayNameMode === undefined ? {} : { displayNameMode }),
    ...(participationMode ? { participationMode } : {}),
    ...(muted === undefined ? {} : { muted }),
    ...(expertiseTags === undefined ? {} : { expertiseTags }),
  };
}

/** The member without what a request clears: when it speaks is the channel's to say then. */
export function withoutCleared(member: Member, request: UpsertMember): Member {
  if (request.participationMode !== null) return member;
  const { participationMode: _, ...rest } = member;
  return rest;
}
