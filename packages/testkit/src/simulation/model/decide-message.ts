import type { StoredItem } from '@stoa/protocol';
import type { Operation } from '../operation.js';
import { replayed } from './replayed.js';
import type { ModelChannel, ModelState } from './state.js';
import {
  type Asked,
  actorOf,
  done,
  inChannel,
  messageIn,
  type NewModelEvent,
  refused,
  spoken,
  type Verdict,
} from './verdict.js';

type Post = Extract<Operation, { kind: 'post' }>;

export function decidePost(state: ModelState, asked: Asked<Post>): Verdict {
  const { by, operation, chosen } = asked;
  const { channelId, request } = operation;
  const channel = state.channels.get(channelId);
  const member = channel?.members.find(({ actorId }) => actorId === actorOf(by));
  if (channel && member) {
    const earlier = replayed(state, asked);
    if (earlier) return earlier;
  }
  return spoken(state, asked, channelId, (open) => {
    const inputItems = itemsOf(request, chosen.assetIds);
    if (!inputItems.every((item) => isText(item) || state.assets.has(item.assetId))) {
      return refused('unknown_asset');
    }
    const position = threadPositionOf(open, request);
    if (typeof position === 'string') return refused(position);
    const addressedMemberIds = [...new Set(request.addressedMemberIds)];
    if (!addressedMemberIds.every((id) => open.members.some(({ memberId }) => memberId === id))) {
      return refused('unknown_member');
    }
    const { messageId } = chosen;
    const author = { kind: 'human', id: actorOf(by), displayName: member?.displayName };
    const posted = { messageId, ...position, author, addressedMemberIds, inputItems, metadata: {} };
    return done(
      inChannel(channelId, 'message_posted', posted),
      ...mentions(open, addressedMemberIds, actorOf(by), messageId),
    );
  });
}

const isText = (item: StoredItem): item is Extract<StoredItem, { type: 'text' }> =>
  item.type === 'text';

function itemsOf({ text, inputItems }: Post['request'], assetIds: readonly string[]): StoredItem[] {
  if (text !== undefined) return [{ type: 'text', text }];
  const brought = [...assetIds];
  return (inputItems ?? []).map((item) => {
    if (item.type === 'board_reference') throw new Error('people of the simulation have no boards');
    return item.type === 'inline_asset'
      ? { type: 'asset_reference', assetId: brought.shift() ?? 'the asset was not stored' }
      : item;
  });
}

function threadPositionOf(
  channel: ModelChannel,
  { threadRootMessageId, replyToMessageId }: Post['request'],
) {
  if (replyToMessageId !== undefined) {
    const answered = messageIn(channel, replyToMessageId);
    if (!answered) return 'message_not_found';
    const root = answered.threadRootMessageId ?? answered.messageId;
    if (threadRootMessageId !== undefined && threadRootMessageId !== root) return 'thread_mismatch';
    return { threadRootMessageId: root, replyToMessageId };
  }
  if (threadRootMessageId === undefined) return {};
  const root = messageIn(channel, threadRootMessageId);
  if (!root) return 'message_not_found';
  return root.threadRootMessageId === undefined ? { threadRootMessageId } : 'thread_mismatch';
}

function mentions(
  channel: ModelChannel,
  memberIds: readonly string[],
  author: string,
  messageId: string | undefined,
): NewModelEvent[] {
  return memberIds
    .map((id) => channel.members.find(({ memberId }) => memberId === id)?.actorId ?? '')
    .filter((actorId) => actorId !== author)
    .map((actorId) => ({
      topic: actorId,
      type: 'mentioned',
      data: { channelId: channel.channelId, messageId },
    }));
}

type Change = Extract<Operation, { messageId: string }>;

export function decideMessageChange(state: ModelState, asked: Asked<Change>): Verdict {
  const { by, operation } = asked;
  const { channelId, messageId } = operation;
  return spoken(state, asked, channelId, (channel) => {
    const message = messageIn(channel, messageId);
    if (!message) return refused('message_not_found');
    const isAuthor = message.author.id === actorOf(by);
    const isDeleted = message.deletedAt !== undefined;
    switch (operation.kind) {
      case 'edit': {
        if (!isAuthor) return refused('not_author');
        if (isDeleted) return refused('message_deleted');
        const inputItems = [{ type: 'text', text: operation.text }];
        return done(inChannel(channelId, 'message_edited', { messageId, inputItems }));
      }
      case 'delete_message':
        if (!isAuthor && !by.owner) return refused('not_author');
        return isDeleted ? done() : done(inChannel(channelId, 'message_deleted', { messageId }));
      case 'react':
      case 'unreact': {
        const wanted = operation.kind === 'react';
        const reaction = { emoji: operation.emoji, actorId: actorOf(by) };
        if (wanted && isDeleted) return refused('message_deleted');
        const isThere = message.reactions.some(
          ({ emoji, actorId }) => emoji === reaction.emoji && actorId === reaction.actorId,
        );
        if (isThere === wanted) return done();
        const type = wanted ? 'reaction_set' : 'reaction_unset';
        return done(inChannel(channelId, type, { messageId, ...reaction }));
      }
    }
  });
}
