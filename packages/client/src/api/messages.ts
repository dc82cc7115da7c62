import type { EditMessage, Message, MessagePage, PostMessage } from '@stoa/protocol';
import type { Caller, CallOptions, KeyedCallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export interface MessagesApi {
  /** Resolves when the message is on disk; a retry of a lost answer posts nothing twice. */
  post(
    channelId: string,
    message: PostMessage | string,
    options?: KeyedCallOptions,
  ): Promise<Message>;
  list(
    channelId: string,
    query?: QueryFor<'listMessages'>,
    options?: CallOptions,
  ): Promise<MessagePage>;
  /** Forward from `after` if it is given, else back from `before` or the end; each page in log order. */
  pages(
    channelId: string,
    query?: QueryFor<'listMessages'>,
    options?: CallOptions,
  ): AsyncIterable<readonly Message[]>;
  get(channelId: string, messageId: string, options?: CallOptions): Promise<Message>;
  /** Wherever it is. */
  find(messageId: string, options?: CallOptions): Promise<Message>;
  edit(
    channelId: string,
    messageId: string,
    content: EditMessage | string,
    options?: CallOptions,
  ): Promise<Message>;
  delete(channelId: string, messageId: string, options?: CallOptions): Promise<Message>;
  react(
    channelId: string,
    messageId: string,
    emoji: string,
    options?: CallOptions,
  ): Promise<Message>;
  unreact(
    channelId: string,
    messageId: string,
    emoji: string,
    options?: CallOptions,
  ): Promise<Message>;
}

export function messagesApi(call: Caller): MessagesApi {
  const list: MessagesApi['list'] = (channelId, query, options) =>
    call('listMessages', { params: { channelId }, query, ...options });
  return {
    post: (channelId, message, options) =>
      call('postMessage', { params: { channelId }, body: withText(message), ...options }),
    list,
    async *pages(channelId, query, options) {
      let position: QueryFor<'listMessages'> = {};
      for (;;) {
        const page = await list(channelId, { ...query, ...position }, options);
        if (page.messages.length > 0) yield page.messages;
        const edge = query?.after === undefined ? page.messages.at(0) : page.messages.at(-1);
        if (!page.hasMore || !edge) return;
        position = query?.after === undefined ? { before: edge.seq } : { after: edge.seq };
      }
    },
    get: (channelId, messageId, options) =>
      call('getMessage', { params: { channelId, messageId }, ...options }),
    find: (messageId, options) => call('findMessage', { params: { messageId }, ...options }),
    edit: (channelId, messageId, content, options) =>
      call('editMessage', {
        params: { channelId, messageId },
        body: withText(content),
        ...options,
      }),
    delete: (channelId, messageId, options) =>
      call('deleteMessage', { params: { channelId, messageId }, ...options }),
    react: (channelId, messageId, emoji, options) =>
      call('setReaction', { params: { channelId, messageId }, body: { emoji }, ...options }),
    unreact: (channelId, messageId, emoji, options) =>
      call('unsetReaction', { params: { channelId, messageId }, body: { emoji }, ...options }),
  };
}

function withText<B extends object>(content: B | string): B | { text: string } {
  return typeof content === 'string' ? { text: content } : content;
}
