import type { ROUTES, Route, RouteId } from '@stoa/protocol';

export type Routes = typeof ROUTES;

/** The client calls everything but what belongs to browsers, to operators and to live streams. */
type NotCalled =
  | 'healthz'
  | 'readyz'
  | 'metrics'
  | 'home'
  | 'login'
  | 'openapi'
  | 'events'
  | 'stream';
export type CallId = Exclude<RouteId, NotCalled>;

/**
 * May a call be made again when nobody knows whether it arrived? `always`: its effect is the same
 * however often it happens; `keyed`: yes, under the same idempotency key; `never`: the caller must
 * look first.
 */
export type Repeat = 'always' | 'keyed' | 'never';

interface Call<R extends Route> {
  readonly method: R['method'];
  readonly path: R['path'];
  readonly repeat: R extends { idempotent: true }
    ? 'keyed'
    : R extends { method: 'GET' }
      ? 'always'
      : 'always' | 'never';
}

/**
 * Method and path of each call, checked by the compiler against the contract: the contract itself
 * carries its schemas and would load them into every browser and every command.
 */
export const CALLS = {
  status: { method: 'GET', path: '/v1/status', repeat: 'always' },
  whoami: { method: 'GET', path: '/v1/whoami', repeat: 'always' },
  logout: { method: 'POST', path: '/v1/logout', repeat: 'never' },
  createLoginCode: { method: 'POST', path: '/v1/login-codes', repeat: 'always' },
  listTokens: { method: 'GET', path: '/v1/tokens', repeat: 'always' },
  mintToken: { method: 'POST', path: '/v1/tokens', repeat: 'never' },
  revokeToken: { method: 'DELETE', path: '/v1/tokens/:credentialId', repeat: 'never' },
  listChannels: { method: 'GET', path: '/v1/channels', repeat: 'always' },
  createChannel: { method: 'POST', path: '/v1/channels', repeat: 'keyed' },
  getChannel: { method: 'GET', path: '/v1/channels/:channelId', repeat: 'always' },
  updateChannel: { method: 'PATCH', path: '/v1/channels/:channelId', repeat: 'never' },
  deleteChannel: { method: 'DELETE', path: '/v1/channels/:channelId', repeat: 'never' },
  archiveChannel: { method: 'POST', path: '/v1/channels/:channelId/archive', repeat: 'never' },
  unarchiveChannel: { method: 'POST', path: '/v1/channels/:channelId/unarchive', repeat: 'never' },
  listMembers: { method: 'GET', path: '/v1/channels/:channelId/members', repeat: 'always' },
  upsertMember: { method: 'POST', path: '/v1/channels/:channelId/members', repeat: 'never' },
  removeMember: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/members/:memberId',
    repeat: 'never',
  },
  listMessages: { method: 'GET', path: '/v1/channels/:channelId/messages', repeat: 'always' },
  postMessage: { method: 'POST', path: '/v1/channels/:channelId/messages', repeat: 'keyed' },
  getMessage: {
    method: 'GET',
    path: '/v1/channels/:channelId/messages/:messageId',
    repeat: 'always',
  },
  editMessage: {
    method: 'PATCH',
    path: '/v1/channels/:channelId/messages/:messageId',
    repeat: 'never',
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId',
    repeat: 'never',
  },
  setReaction: {
    method: 'POST',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    repeat: 'always',
  },
  unsetReaction: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/messages/:messageId/reactions',
    repeat: 'always',
  },
  pinAsset: { method: 'PUT', path: '/v1/channels/:channelId/pins/:assetId', repeat: 'always' },
  unpinAsset: { method: 'DELETE', path: '/v1/channels/:channelId/pins/:assetId', repeat: 'never' },
  getCursor: { method: 'GET', path: '/v1/channels/:channelId/cursor', repeat: 'always' },
  moveCursor: { method: 'PUT', path: '/v1/channels/:channelId/cursor', repeat: 'always' },
  listUnread: { method: 'GET', path: '/v1/unread', repeat: 'always' },
  search: { method: 'GET', path: '/v1/search', repeat: 'always' },
  createAsset: { method: 'POST', path: '/v1/assets', repeat: 'never' },
  getAsset: { method: 'GET', path: '/v1/assets/:assetId', repeat: 'always' },
  readAsset: { method: 'GET', path: '/v1/assets/:assetId/raw', repeat: 'always' },
  deleteAsset: { method: 'DELETE', path: '/v1/assets/:assetId', repeat: 'never' },
  readTopic: { method: 'GET', path: '/v1/topics/:topic/events', repeat: 'always' },
  createBackup: { method: 'POST', path: '/v1/backups', repeat: 'never' },
  checkIntegrity: { method: 'POST', path: '/v1/checks', repeat: 'always' },
} as const satisfies { [K in CallId]: Call<Routes[K]> };

export const STREAM_PATH: Routes['stream']['path'] = '/v1/stream';
