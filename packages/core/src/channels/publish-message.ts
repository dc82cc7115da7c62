import { channelTopic, type EventData, humanTopic, type Member, textOf } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { NewEvent } from '../kernel/log.js';
import type { LockedChannel } from './channel-gate.js';
import { namedMembers } from './member-name.js';
import { mentioned, namedByAt } from './mentions.js';

type Posted = EventData<'message_posted'>;

export const SYSTEM_AUTHOR = { kind: 'system', id: 'system', displayName: 'Stoa' } as const;

export interface Published {
  readonly posted: Posted;
  /** First the message, then a notice to each person that it addresses. */
  readonly events: readonly NewEvent[];
}

/**
 * Creates the events of a message: the only producer of `message_posted`. If the caller names no addressed members,
 * the text determines them. Addressed people get an event on their own topic.
 */
export function* publishMessage(
  { topicId, channelId }: LockedChannel,
  message: Posted,
): Tx<Published> {
  const text = textOf(message.inputItems);
  const needsMembers = message.addressedMemberIds.length > 0 || mayName(message, text);
  const members = needsMembers ? yield* namedMembers(topicId) : [];
  const addressed = addressedBy(message, text, members);
  const posted = { ...message, addressedMemberIds: addressed.map(({ memberId }) => memberId) };
  const mentions = addressed.flatMap(({ memberKind, actorId }): NewEvent[] => {
    if (memberKind !== 'human_actor' || actorId === message.author.id) return [];
    const data = { channelId, messageId: message.messageId };
    const topic = humanTopic(actorId.slice('human:'.length));
    return [{ topic, event: { type: 'mentioned', data } }];
  });
  const event = { type: 'message_posted' as const, data: posted };
  return { posted, events: [{ topic: channelTopic(channelId), event }, ...mentions] };
}

/**
 * Agents may address a member by beginning with its name, others only with an `@`. Most posts therefore need not read
 * the members.
 */
const mayName = ({ author }: Posted, text: string): boolean =>
  author.kind === 'agent' || text.includes('@');

function addressedBy(
  { author, addressedMemberIds }: Posted,
  text: string,
  members: readonly Member[],
): readonly Member[] {
  if (addressedMemberIds.length > 0) {
    return addressedMemberIds.flatMap((memberId) =>
      members.filter((member) => member.memberId === memberId),
    );
  }
  switch (author.kind) {
    case 'human':
      return text.includes('@') ? mentioned(text, members) : [];
    case 'agent':
      return mentioned(
        text,
        members.filter(({ actorId }) => actorId !== author.id),
      );
    case 'system':
      return namedByAt(text, members);
  }
}
