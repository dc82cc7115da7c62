import type { Channel, CreateChannel, UpdateChannel } from '@stoa/protocol';
import type { Answer, Caller, CallOptions, KeyedCallOptions } from '../http/caller.js';
import { pagesOf } from './pages-of.js';
import type { QueryFor } from './query.js';

export type ChannelPage = Answer<'listChannels'>;

export interface ChannelsApi {
  create(channel: CreateChannel, options?: KeyedCallOptions): Promise<Channel>;
  list(query?: QueryFor<'listChannels'>, options?: CallOptions): Promise<ChannelPage>;
  /** Every channel, page by page. */
  pages(query?: QueryFor<'listChannels'>, options?: CallOptions): AsyncIterable<ChannelPage>;
  get(channelId: string, options?: CallOptions): Promise<Channel>;
  update(channelId: string, change: UpdateChannel, options?: CallOptions): Promise<Channel>;
  archive(channelId: string, options?: CallOptions): Promise<Channel>;
  unarchive(channelId: string, options?: CallOptions): Promise<Channel>;
  delete(channelId: string, options?: CallOptions): Promise<void>;
}

export function channelsApi(call: Caller): ChannelsApi {
  const list: ChannelsApi['list'] = (query, options) => call('listChannels', { query, ...options });
  return {
    create: (body, options) => call('createChannel', { body, ...options }),
    list,
    pages: (query, options) => pagesOf(query?.after, (after) => list({ ...query, after }, options)),
    get: (channelId, options) => call('getChannel', { params: { channelId }, ...options }),
    update: (channelId, body, options) =>
      call('updateChannel', { params: { channelId }, body, ...options }),
    archive: (channelId, options) => call('archiveChannel', { params: { channelId }, ...options }),
    unarchive: (channelId, options) =>
      call('unarchiveChannel', { params: { channelId }, ...options }),
    delete: (channelId, options) => call('deleteChannel', { params: { channelId }, ...options }),
  };
}
