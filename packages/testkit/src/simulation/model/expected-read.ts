import type { ErrorCode } from '@stoa/protocol';
import type { Call } from '../call.js';
import type { Expectation } from './model.js';
import type { ModelState } from './state.js';
import { actorOf, messageIn } from './verdict.js';
import { channelView, cursorView, messageView, unreadView } from './views.js';

const answer = (value: unknown): Expectation => ({ kind: 'answer', answer: value });
const refusal = (code: ErrorCode): Expectation => ({ kind: 'refusal', codes: [code] });

/**
 * What a caller whose daemon reads at this moment must receive; undefined when this read decides
 * nothing. Most changes are answered with what a read after the commit shows.
 */
export function expectedOfRead(state: ModelState, call: Call): Expectation | undefined {
  const { by, request, transactions, found } = call;
  const { operation } = request;
  if (!by) return undefined;
  const isBefore = transactions === 0;
  const channel =
    'channelId' in operation ? state.channels.get(operation.channelId ?? '') : undefined;
  switch (operation.kind) {
    case 'edit':
    case 'delete_message':
    case 'react':
    case 'unreact': {
      if (isBefore) return undefined;
      const message = channel && messageIn(channel, operation.messageId);
      return message ? answer(messageView(channel, message)) : refusal('channel_not_found');
    }
    case 'update_channel':
    case 'archive':
    case 'unarchive':
    case 'pin':
    case 'unpin':
      if (isBefore) return undefined;
      return channel ? answer(channelView(state, channel)) : refusal('channel_not_found');
    case 'move_cursor':
      if (isBefore) return undefined;
      return channel ? answer(cursorView(state, by.id, channel)) : refusal('channel_not_found');
    case 'revoke':
      if (!isBefore) return undefined;
      return state.credentials.has(operation.credentialId) ? undefined : refusal('token_not_found');
    case 'delete_asset': {
      const asset = state.assets.get(operation.assetId);
      if (!isBefore) {
        // Another process may have deleted it meanwhile, so it is read again.
        const isRefused = call.expected?.kind === 'refusal';
        return isRefused && !asset ? refusal('asset_not_found') : undefined;
      }
      if (!asset) return refusal('asset_not_found');
      return by.owner || asset.createdBy === actorOf(by) ? undefined : refusal('forbidden');
    }
    case 'get_channel':
      return channel ? answer(channelView(state, channel)) : refusal('channel_not_found');
    case 'list_messages': {
      if (!channel) return refusal('channel_not_found');
      const messages = channel.messages.map((message) => messageView(channel, message));
      return answer({ messages, hasMore: false });
    }
    case 'list_unread':
      return answer(unreadView(state, by.id));
    case 'search':
      return answer(found.flatMap((found) => hitOf(state, found)));
    default:
      return undefined;
  }
}

function hitOf(state: ModelState, { channelId, messageId }: Call['found'][number]) {
  const channel = state.channels.get(channelId);
  const message = channel && messageIn(channel, messageId);
  if (!message || message.deletedAt !== undefined) return [];
  const threadRootMessageId = message.threadRootMessageId ?? messageId;
  const view = messageView(channel, message);
  return [{ channelId, messageId, seq: message.seq, threadRootMessageId, message: view }];
}
