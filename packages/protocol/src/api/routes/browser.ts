import { ANYONE } from '../access-table.js';
import { tagged } from '../route.js';

const page = { method: 'GET', access: ANYONE, carries: 'page' } as const;

/** What a browser loads before it calls the API. Every page of the web UI is the same file, which reads its address. */
export const BROWSER_ROUTES = tagged('browser', {
  home: { ...page, path: '/', summary: 'The page behind the login link' },
  channelPage: { ...page, path: '/c/:channelId', summary: 'A channel in the web UI' },
  messagePage: {
    ...page,
    path: '/c/:channelId/m/:messageId',
    summary: 'A message and its thread in the web UI',
  },
  channelSettingsPage: {
    ...page,
    path: '/c/:channelId/settings',
    summary: 'The settings of a channel in the web UI',
  },
  timelinePage: {
    ...page,
    path: '/c/:channelId/timeline',
    summary: 'The timeline of a channel in the web UI',
  },
  sessionPage: { ...page, path: '/s/:sessionId', summary: 'A session in the web UI' },
  settingsPage: { ...page, path: '/settings', summary: 'The settings in the web UI' },
  settingsSectionPage: {
    ...page,
    path: '/settings/:section',
    summary: 'A section of the settings in the web UI',
  },
  usagePage: { ...page, path: '/usage', summary: 'Tokens and cost in the web UI' },
  webAsset: {
    method: 'GET',
    path: '/assets/:file',
    summary: 'A script, style or picture of the web UI; its name has a content hash',
    access: ANYONE,
    carries: 'bytes',
  },
  login: {
    method: 'GET',
    path: '/login',
    summary: 'Ask whether to log in as the person a one-time code is for; changes nothing',
    access: ANYONE,
    query: 'LoginQuery',
    carries: 'login',
  },
  logIn: {
    method: 'POST',
    path: '/login',
    summary: 'Exchange a one-time code for the key of a browser login (login page only)',
    access: ANYONE,
    body: 'LogIn',
    answer: 'BrowserLogin',
    status: 201,
  },
});
