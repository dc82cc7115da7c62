import {
  actorIdOf,
  type ChannelEvent,
  channelTopic,
  type EditMessage,
  LIMITS,
  type Message,
  type Principal,
  type ReactionChange,
  StoaError,
} from '@stoa/protocol';
import { countReactions, findReaction, type MessageRow, type Tx } from '@stoa/store';
import { assertIsCaller, callerClass } from '../access/rules.js';
import { admitContent, holdAssets } from '../assets/content.js';
import { assertNotArchived, channelToSpeakIn, type JoinedChannel } from './channel-gate.js';
import type { ChannelContext } from './context.js';
import { getMessage } from './read-messages.js';
import { existingMessage } from './thread.js';

/** The log keeps the earlier text. */
export async function editMessage(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  messageId: string,
  request: EditMessage,
): Promise<Message> {
  assertIsCaller(principal, request);
  const assertMayEdit = (message: MessageRow): void => {
    assertIsAuthor(principal, message);
    assertNotDeleted(message);
  };
  const inputItems = await admitContent(context, request, actorIdOf(principal), function* (ready) {
    const channel = yield* channelToSpeakIn(principal, channelId);
    assertNotArchived(channel);
    assertMayEdit(yield* existingMessage(channel.topicId, messageId));
    yield* holdAssets(ready);
  });
  return change(context, principal, channelId, messageId, function* (message) {
    assertMayEdit(message);
    yield* holdAssets(inputItems);
    return { type: 'message_edited', data: { messageId, inputItems } };
  });
}

/** Leaves a tombstone. Deleting it again changes nothing. */
export function deleteMessage(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  messageId: string,
): Promise<Message> {
  // eslint-disable-next-line require-yield -- the decision needs only the message
  return change(context, principal, channelId, messageId, function* (message) {
    if (callerClass(principal) !== 'admin') assertIsAuthor(principal, message);
    return message.deletedAt === null
      ? { type: 'message_deleted', data: { messageId } }
      : undefined;
  });
}

/** Changes nothing if the reaction is already in that state. */
export function setReaction(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  messageId: string,
  request: ReactionChange,
  isSet: boolean,
): Promise<Message> {
  assertIsCaller(principal, request);
  const data = { messageId, emoji: request.emoji, actorId: actorIdOf(principal) };
  return change(context, principal, channelId, messageId, function* (message, { topicId }) {
    if (isSet) assertNotDeleted(message);
    const reaction = yield* findReaction.first({ topicId, ...data });
    if ((reaction !== undefined) === isSet) return undefined;
    if (!isSet) return { type: 'reaction_unset', data };
    const count = (yield* countReactions.first({ topicId, messageId }))?.count ?? 0;
    if (count >= LIMITS.reactionsPerMessage) {
      throw new StoaError(
        'limit_reached',
        `A message has at most ${String(LIMITS.reactionsPerMessage)} reactions`,
      );
    }
    return { type: 'reaction_set', data };
  });
}

async function change(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  messageId: string,
  decide: (message: MessageRow, channel: JoinedChannel) => Tx<ChannelEvent | undefined>,
): Promise<Message> {
  const topic = channelTopic(channelId);
  await context.log.write({
    actor: actorIdOf(principal),
    lane: topic,
    open: () => channelToSpeakIn(principal, channelId),
    *decide(channel) {
      assertNotArchived(channel);
      const message = yield* existingMessage(channel.topicId, messageId);
      const event = yield* decide(message, channel);
      return { events: event ? [{ topic, event }] : [], answer: () => undefined };
    },
  });
  return getMessage(context, principal, channelId, messageId);
}

function assertIsAuthor(principal: Principal, message: MessageRow): void {
  if (message.authorId === actorIdOf(principal)) return;
  throw new StoaError('not_author', 'Only the author may change this message');
}

function assertNotDeleted(message: MessageRow): void {
  if (message.deletedAt === null) return;
  throw new StoaError('message_deleted', `${message.messageId} was deleted`);
}
