import type { Member, UpsertMember } from '@stoa/protocol';

type Participation = Pick<
  Member,
  'displayNameMode' | 'participationMode' | 'muted' | 'expertiseTags'
>;

/** How a session takes part, as it is kept; people have nothing of it. */
export function participationText(member: Participation): string {
  const { displayNameMode, participationMode, muted, expertiseTags } = member;
  return JSON.stringify({ displayNameMode, participationMode, muted, expertiseTags });
}

export const participationOf = (text: string): Participation => JSON.parse(text) as Participation;

/** What of it a request names. */
export function participationOfRequest(request: UpsertMember): Participation {
  const { displayNameMode, participationMode, muted, expertiseTags } = request;
  return {
    ...(displayNameMode === undefined ? {} : { displayNameMode }),
    ...(participationMode === undefined ? {} : { participationMode }),
    ...(muted === undefined ? {} : { muted }),
    ...(expertiseTags === undefined ? {} : { expertiseTags }),
  };
}
