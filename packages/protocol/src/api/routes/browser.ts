import { z } from 'zod';
import { BrowserLogin, LogIn } from '../../records/credential.js';
import { ANYONE } from '../access-table.js';
import type { Route } from '../route.js';

/** A place in the web UI: the same page, which looks at its own address. */
const place = <P extends string>(path: P, summary: string) =>
  ({
    method: 'GET',
    path,
    tag: 'browser',
    summary,
    access: ANYONE,
    status: 200,
    carries: 'page',
  }) as const;

const segment = z.string().min(1).max(200);

/** What a browser meets before the API. */
export const BROWSER_ROUTES = {
  home: {
    method: 'GET',
    path: '/',
    tag: 'browser',
    summary: 'The page behind the login link',
    access: ANYONE,
    status: 200,
    carries: 'page',
  },
  channelPage: {
    ...place('/c/:channelId', 'A channel in the web UI'),
    params: z.strictObject({ channelId: segment }),
  },
  messagePage: {
    ...place('/c/:channelId/m/:messageId', 'A message and its thread in the web UI'),
    params: z.strictObject({ channelId: segment, messageId: segment }),
  },
  channelSettingsPage: {
    ...place('/c/:channelId/settings', 'The settings of a channel in the web UI'),
    params: z.strictObject({ channelId: segment }),
  },
  timelinePage: {
    ...place('/c/:channelId/timeline', 'The timeline of a channel in the web UI'),
    params: z.strictObject({ channelId: segment }),
  },
  sessionPage: {
    ...place('/s/:sessionId', 'A session in the web UI'),
    params: z.strictObject({ sessionId: segment }),
  },
  settingsPage: place('/settings', 'The settings in the web UI'),
  settingsSectionPage: {
    ...place('/settings/:section', 'A section of the settings in the web UI'),
    params: z.strictObject({ section: segment }),
  },
  usagePage: place('/usage', 'Tokens and cost in the web UI'),
  webAsset: {
    ...place(
      '/assets/:file',
      'A script, style or picture of the web UI; its name tells its content',
    ),
    params: z.strictObject({ file: segment }),
    carries: 'bytes',
  },
  login: {
    method: 'GET',
    path: '/login',
    tag: 'browser',
    summary: 'Ask whether to log in as the person a one-time code is for; changes nothing',
    access: ANYONE,
    query: z.strictObject({ code: z.string().max(200) }),
    status: 200,
    carries: 'page',
  },
  logIn: {
    method: 'POST',
    path: '/login',
    tag: 'browser',
    summary: 'Exchange a one-time code for the key of a browser login (login page only)',
    access: ANYONE,
    body: LogIn,
    answer: BrowserLogin,
    status: 201,
  },
} as const satisfies Record<string, Route>;
