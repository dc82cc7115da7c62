import { type ChannelEvent, channelTopic, humanTopic, type Member } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import { textOf } from '../kernel/item-text.js';
import type { NewEvent } from '../kernel/log.js';
import { namedMembers } from './member-name.js';
import { mentioned, namedByAt } from './mentions.js';

export type Posted = Extract<ChannelEvent, { type: 'message_posted' }>['data'];

export interface Published {
  readonly posted: Posted;
  /** The message first, then a notice to each person it names. */
  readonly events: readonly NewEvent[];
}

/**
 * Every message of a channel goes through here, whoever wrote it. Where its producer does not say whom it
 * addresses, its text does. Addressed people get an event on their own topic.
 */
export function* publishMessage(
  { topicId, channelId }: { readonly topicId: number; readonly channelId: string },
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

/** What agents say may begin with a name; others write an `@`, so that most posts need not read the members. */
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
