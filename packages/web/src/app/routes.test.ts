import { describe, expect, it } from 'vitest';
import { pathTo, placeOf } from './routes.js';

describe('the places of the web UI', () => {
  it('are found by the paths that lead to them', () => {
    expect(placeOf('/')).toEqual({ name: 'home' });
    expect(placeOf(pathTo.channel('lobby'))).toEqual({
      name: 'channel',
      channelId: 'lobby',
      messageId: undefined,
    });
    expect(placeOf(pathTo.message('lobby', 'msg_1'))).toEqual({
      name: 'channel',
      channelId: 'lobby',
      messageId: 'msg_1',
    });
    expect(placeOf(pathTo.channelSettings('lobby'))).toEqual({
      name: 'channel-settings',
      channelId: 'lobby',
    });
    expect(placeOf(pathTo.timeline('lobby'))).toEqual({ name: 'timeline', channelId: 'lobby' });
    expect(placeOf(pathTo.session('ses_1'))).toEqual({ name: 'session', sessionId: 'ses_1' });
    expect(placeOf(pathTo.settings())).toEqual({ name: 'settings', section: undefined });
    expect(placeOf(pathTo.settings('agents'))).toEqual({ name: 'settings', section: 'agents' });
    expect(placeOf(pathTo.usage())).toEqual({ name: 'usage' });
  });

  it('are nowhere for what leads to none of them', () => {
    for (const path of [
      '/x',
      '/c',
      '/s',
      '/c/lobby/x',
      '/c/lobby/m',
      '/c/a/timeline/b',
      '/c/a/settings/b',
      '/usage/x',
      '/c/a/m/b/c',
    ]) {
      expect(placeOf(path), path).toEqual({ name: 'nowhere' });
    }
  });
});
