import { assertMayCall, type Core } from '@stoa/core';
import { type Principal, ROUTES } from '@stoa/protocol';
import type { Operation } from './operation.js';

/** What the daemon does with an admitted request: one call into the domain. */
export async function perform(
  core: Core,
  by: Principal,
  operation: Operation,
  key: string | undefined,
): Promise<unknown> {
  const { channels, assets, credentials } = core;
  switch (operation.kind) {
    case 'create_channel': {
      const { title, channelId } = operation;
      return channels.create(by, { title, ...(channelId === undefined ? {} : { channelId }) }, key);
    }
    case 'update_channel':
      return channels.update(by, operation.channelId, { title: operation.title });
    case 'archive':
      return channels.archive(by, operation.channelId);
    case 'unarchive':
      return channels.unarchive(by, operation.channelId);
    case 'delete_channel':
      return channels.delete(by, operation.channelId);
    case 'join':
      return channels.upsertMember(by, operation.channelId, { actorId: operation.actorId });
    case 'leave':
      return channels.removeMember(by, operation.channelId, operation.memberId);
    case 'post':
      return channels.post(by, operation.channelId, operation.request, key);
    case 'edit': {
      const { channelId, messageId, text } = operation;
      return channels.edit(by, channelId, messageId, { text });
    }
    case 'delete_message':
      return channels.deleteMessage(by, operation.channelId, operation.messageId);
    case 'react':
    case 'unreact': {
      const { kind, channelId, messageId, emoji } = operation;
      return channels[kind](by, channelId, messageId, { emoji });
    }
    case 'pin':
    case 'unpin':
      return channels[operation.kind](by, operation.channelId, operation.assetId);
    case 'upload':
      return assets.create(Buffer.from(operation.text), undefined, `human:${humanOf(by)}`);
    case 'delete_asset':
      return assets.delete(by, operation.assetId);
    case 'move_cursor':
      return channels.moveCursor(by, operation.channelId, operation.readSeq);
    case 'mint':
      assertMayCall(ROUTES.mintToken.access, by);
      return credentials.mint({ humanId: operation.humanId, name: operation.name });
    case 'revoke':
      assertMayCall(ROUTES.revokeToken.access, by);
      return credentials.revoke(by, operation.credentialId);
    case 'list_messages':
      return channels.messages(by, operation.channelId, { scope: 'all', limit: 200 });
    case 'get_channel':
      return channels.get(by, operation.channelId);
    case 'list_unread':
      return channels.unread(by);
    case 'search':
      return channels.search(by, { query: operation.word, limit: 50 });
  }
}

const humanOf = (by: Principal): string => (by.kind === 'human' ? by.id : '');
