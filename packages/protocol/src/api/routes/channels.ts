import { z } from 'zod';
import { Channel, CreateChannel, UpdateChannel } from '../../records/channel.js';
import { AssetId, ChannelId } from '../../records/ids.js';
import { PEOPLE } from '../access-table.js';
import { ChannelPage, ListChannels } from '../pages.js';
import type { Route } from '../route.js';

const inChannel = z.strictObject({ channelId: ChannelId });
const inPin = z.strictObject({ channelId: ChannelId, assetId: AssetId });

/** Channels and what is pinned to them. */
export const CHANNELS_ROUTES = {
  listChannels: {
    method: 'GET',
    path: '/v1/channels',
    tag: 'channels',
    summary: 'List or search channels by id, title, description and purpose',
    access: PEOPLE,
    query: ListChannels,
    answer: ChannelPage,
    status: 200,
  },
  createChannel: {
    method: 'POST',
    path: '/v1/channels',
    tag: 'channels',
    summary: 'Create a channel; the caller becomes its first member',
    access: PEOPLE,
    body: CreateChannel,
    answer: Channel,
    status: 201,
    idempotent: true,
  },
  getChannel: {
    method: 'GET',
    path: '/v1/channels/:channelId',
    tag: 'channels',
    summary: 'Read a channel',
    access: PEOPLE,
    params: inChannel,
    answer: Channel,
    status: 200,
  },
  updateChannel: {
    method: 'PATCH',
    path: '/v1/channels/:channelId',
    tag: 'channels',
    summary:
      'Change title, description, purpose, metadata or how agents take part, pause or resume (creator or owner)',
    access: PEOPLE,
    params: inChannel,
    body: UpdateChannel,
    answer: Channel,
    status: 200,
  },
  deleteChannel: {
    method: 'DELETE',
    path: '/v1/channels/:channelId',
    tag: 'channels',
    summary: 'Erase a channel and its log for good (creator or owner); its id is never used again',
    access: PEOPLE,
    params: inChannel,
    status: 204,
  },
  archiveChannel: {
    method: 'POST',
    path: '/v1/channels/:channelId/archive',
    tag: 'channels',
    summary: 'Make a channel read-only (creator or owner)',
    access: PEOPLE,
    params: inChannel,
    answer: Channel,
    status: 200,
  },
  unarchiveChannel: {
    method: 'POST',
    path: '/v1/channels/:channelId/unarchive',
    tag: 'channels',
    summary: 'Open an archived channel again (creator or owner)',
    access: PEOPLE,
    params: inChannel,
    answer: Channel,
    status: 200,
  },
  pinAsset: {
    method: 'PUT',
    path: '/v1/channels/:channelId/pins/:assetId',
    tag: 'channels',
    summary: 'Pin an asset to the channel',
    access: PEOPLE,
    params: inPin,
    answer: Channel,
    status: 200,
  },
  unpinAsset: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/pins/:assetId',
    tag: 'channels',
    summary: 'Unpin an asset',
    access: PEOPLE,
    params: inPin,
    answer: Channel,
    status: 200,
  },
} as const satisfies Record<string, Route>;
