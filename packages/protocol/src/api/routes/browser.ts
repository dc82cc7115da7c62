import { z } from 'zod';
import { ANYONE } from '../access-table.js';
import type { Route } from '../route.js';

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
  login: {
    method: 'GET',
    path: '/login',
    tag: 'browser',
    summary: 'Exchange a one-time code for a browser credential',
    access: ANYONE,
    query: z.strictObject({ code: z.string().max(200) }),
    status: 303,
    carries: 'page',
  },
} as const satisfies Record<string, Route>;
