import { describe, expect, it } from 'vitest';
import { requestUrl } from './request-url.js';

describe('requestUrl', () => {
  it('fills in encoded ids and the given query fields', () => {
    const url = requestUrl(
      'http://127.0.0.1:7117/',
      '/v1/topics/:topic/events',
      { topic: 'channel:general' },
      { after: 3, limit: undefined },
    );
    expect(url).toBe('http://127.0.0.1:7117/v1/topics/channel%3Ageneral/events?after=3');
  });

  it('keeps an id inside its segment', () => {
    const url = requestUrl('http://h', '/v1/channels/:channelId', { channelId: '../tokens?x' }, {});
    expect(url).toBe('http://h/v1/channels/..%2Ftokens%3Fx');
  });

  it.each(['', '.', '..', '\ud800'])('refuses %j as an id before anything is sent', (channelId) => {
    expect(() => requestUrl('http://h', '/v1/channels/:channelId', { channelId }, {})).toThrow(
      expect.objectContaining({ code: 'invalid_request', status: 400 }),
    );
  });
});
