import type {
  CreateChannel,
  EditMessage,
  PostMessage,
  Principal,
  ReactionChange,
  UpdateChannel,
  UpsertMember,
} from '@stoa/protocol';
import { deleteChannel, setArchived, updateChannel } from './change-channel.js';
import { deleteMessage, editMessage, setReaction } from './change-message.js';
import type { ChannelContext } from './context.js';
import { createChannel } from './create-channel.js';
import { getCursor, listUnread, moveCursor } from './cursors.js';
import { listMembers, removeMember, upsertMember } from './members.js';
import { readChannelAsset, setPinned } from './pins.js';
import { postMessage } from './post-message.js';
import { type ChannelQuery, channelCount, getChannel, listChannels } from './read-channels.js';
import {
  findMessageAnywhere,
  getMessage,
  listMessages,
  type MessageQuery,
} from './read-messages.js';
import { type SearchRequest, searchMessages } from './search-messages.js';

/** The operations on channels; `by` is the principal that the credential proved. */
export class Channels {
  constructor(private readonly context: ChannelContext) {}

  create(by: Principal, request: CreateChannel, key?: string) {
    return createChannel(this.context, by, request, key);
  }
  get(by: Principal, channelId: string) {
    return getChannel(this.context, by, channelId);
  }
  list(query: ChannelQuery) {
    return listChannels(this.context, query);
  }
  count() {
    return channelCount(this.context);
  }
  update(by: Principal, channelId: string, request: UpdateChannel) {
    return updateChannel(this.context, by, channelId, request);
  }
  archive(by: Principal, channelId: string) {
    return setArchived(this.context, by, channelId, true);
  }
  unarchive(by: Principal, channelId: string) {
    return setArchived(this.context, by, channelId, false);
  }
  delete(by: Principal, channelId: string) {
    return deleteChannel(this.context, by, channelId);
  }

  members(by: Principal, channelId: string) {
    return listMembers(this.context, by, channelId);
  }
  upsertMember(by: Principal, channelId: string, request: UpsertMember) {
    return upsertMember(this.context, by, channelId, request);
  }
  removeMember(by: Principal, channelId: string, memberId: string) {
    return removeMember(this.context, by, channelId, memberId);
  }

  post(by: Principal, channelId: string, request: PostMessage, key?: string) {
    return postMessage(this.context, by, channelId, request, key);
  }
  message(by: Principal, channelId: string, messageId: string) {
    return getMessage(this.context, by, channelId, messageId);
  }
  findMessage(by: Principal, messageId: string) {
    return findMessageAnywhere(this.context, by, messageId);
  }
  messages(by: Principal, channelId: string, query: MessageQuery) {
    return listMessages(this.context, by, channelId, query);
  }
  edit(by: Principal, channelId: string, messageId: string, request: EditMessage) {
    return editMessage(this.context, by, channelId, messageId, request);
  }
  deleteMessage(by: Principal, channelId: string, messageId: string) {
    return deleteMessage(this.context, by, channelId, messageId);
  }
  react(by: Principal, channelId: string, messageId: string, request: ReactionChange) {
    return setReaction(this.context, by, channelId, messageId, request, true);
  }
  unreact(by: Principal, channelId: string, messageId: string, request: ReactionChange) {
    return setReaction(this.context, by, channelId, messageId, request, false);
  }

  pin(by: Principal, channelId: string, assetId: string) {
    return setPinned(this.context, by, channelId, assetId, true);
  }
  unpin(by: Principal, channelId: string, assetId: string) {
    return setPinned(this.context, by, channelId, assetId, false);
  }

  asset(by: Principal, channelId: string, assetId: string) {
    return readChannelAsset(this.context, by, channelId, assetId);
  }

  cursor(by: Principal, channelId: string) {
    return getCursor(this.context, by, channelId);
  }
  moveCursor(by: Principal, channelId: string, readSeq: number) {
    return moveCursor(this.context, by, channelId, readSeq);
  }
  unread(by: Principal) {
    return listUnread(this.context, by);
  }
  search(by: Principal, request: SearchRequest) {
    return searchMessages(this.context, by, request);
  }
}
