import { PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Channels and their pins. */
export const CHANNELS_ROUTES = tagged('channels', {
  listChannels: {
    method: 'GET',
    path: '/v1/channels',
    summary: 'List or search channels by id, title, description and purpose',
    access: PEOPLE,
    query: 'ListChannels',
    answer: 'ChannelPage',
    paging: 'after',
    client: 'channels.list',
  },
  createChannel: {
    method: 'POST',
    path: '/v1/channels',
    summary: 'Create a channel; the caller becomes its first member',
    access: PEOPLE,
    body: 'CreateChannel',
    answer: 'Channel',
    status: 201,
    retry: 'keyed',
    client: 'channels.create',
  },
  getChannel: {
    method: 'GET',
    path: '/v1/channels/:channelId',
    summary: 'Read a channel',
    access: PEOPLE,
    answer: 'Channel',
    client: 'channels.get',
  },
  updateChannel: {
    method: 'PATCH',
    path: '/v1/channels/:channelId',
    summary:
      'Change title, description, purpose, metadata or participation of agents, pause or resume (creator or owner)',
    access: PEOPLE,
    body: 'UpdateChannel',
    answer: 'Channel',
    client: 'channels.update',
  },
  deleteChannel: {
    method: 'DELETE',
    path: '/v1/channels/:channelId',
    summary:
      'Erase a channel and its log permanently (creator or owner); its id is never used again',
    access: PEOPLE,
    status: 204,
    client: 'channels.delete',
  },
  archiveChannel: {
    method: 'POST',
    path: '/v1/channels/:channelId/archive',
    summary: 'Make a channel read-only (creator or owner)',
    access: PEOPLE,
    answer: 'Channel',
    client: 'channels.archive',
  },
  unarchiveChannel: {
    method: 'POST',
    path: '/v1/channels/:channelId/unarchive',
    summary: 'Unarchive a channel (creator or owner)',
    access: PEOPLE,
    answer: 'Channel',
    client: 'channels.unarchive',
  },
  pinAsset: {
    method: 'PUT',
    path: '/v1/channels/:channelId/pins/:assetId',
    summary: 'Pin an asset to the channel',
    access: PEOPLE,
    answer: 'Channel',
    retry: 'always',
    client: 'pins.add',
  },
  unpinAsset: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/pins/:assetId',
    summary: 'Unpin an asset',
    access: PEOPLE,
    answer: 'Channel',
    client: 'pins.remove',
  },
});
