import { describe, expect, it } from 'vitest';
import { pageAt, pathTo } from './routes.js';

describe('the pages of the web UI', () => {
  it('are found by the paths that lead to them', () => {
    expect(pageAt('/')).toEqual({ page: 'home' });
    expect(pageAt(pathTo.channelPage('lobby'))).toEqual({
      page: 'channelPage',
      channelId: 'lobby',
    });
    expect(pageAt(pathTo.messagePage('lobby', 'msg_1'))).toEqual({
      page: 'messagePage',
      channelId: 'lobby',
      messageId: 'msg_1',
    });
    expect(pageAt(pathTo.channelSettingsPage('lobby'))).toEqual({
      page: 'channelSettingsPage',
      channelId: 'lobby',
    });
    expect(pageAt(pathTo.timelinePage('lobby'))).toEqual({
      page: 'timelinePage',
      channelId: 'lobby',
    });
    expect(pageAt(pathTo.sessionPage('ses_1'))).toEqual({
      page: 'sessionPage',
      sessionId: 'ses_1',
    });
    expect(pageAt(pathTo.settingsPage())).toEqual({ page: 'settingsPage' });
    expect(pageAt(pathTo.settingsSectionPage('agents'))).toEqual({
      page: 'settingsSectionPage',
      section: 'agents',
    });
    expect(pageAt(pathTo.usagePage())).toEqual({ page: 'usagePage' });
  });

  it('are at the paths that people have bookmarked', () => {
    expect(pathTo.messagePage('lobby', 'msg_1')).toBe('/c/lobby/m/msg_1');
    expect(pathTo.sessionPage('ses_1')).toBe('/s/ses_1');
    expect(pathTo.settingsSectionPage('agents')).toBe('/settings/agents');
  });

  it('are at no other path', () => {
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
      expect(pageAt(path), path).toBeUndefined();
    }
  });
});
