import type { Route } from './route.js';
import { ACCESS_ROUTES } from './routes/access.js';
import { AGENTS_ROUTES } from './routes/agents.js';
import { ASSETS_ROUTES } from './routes/assets.js';
import { BOARDS_ROUTES } from './routes/boards.js';
import { BROWSER_ROUTES } from './routes/browser.js';
import { CHANNELS_ROUTES } from './routes/channels.js';
import { LIVE_ROUTES } from './routes/live.js';
import { MCP_ROUTES } from './routes/mcp.js';
import { MEMBERS_ROUTES } from './routes/members.js';
import { MEMORY_ROUTES } from './routes/memory.js';
import { MESSAGES_ROUTES } from './routes/messages.js';
import { OBSERVATIONS_ROUTES } from './routes/observations.js';
import { OPERATIONS_ROUTES } from './routes/operations.js';
import { PROJECTS_ROUTES } from './routes/projects.js';
import { READING_ROUTES } from './routes/reading.js';
import { SESSIONS_ROUTES } from './routes/sessions.js';
import { STIMULI_ROUTES } from './routes/stimuli.js';
import { TASKS_ROUTES } from './routes/tasks.js';
import { TURNS_ROUTES } from './routes/turns.js';

/** The whole HTTP contract, and with it the authorisation table: a route that is not here does not exist. */
export const ROUTES = {
  ...OPERATIONS_ROUTES,
  ...BROWSER_ROUTES,
  ...ACCESS_ROUTES,
  ...CHANNELS_ROUTES,
  ...MEMBERS_ROUTES,
  ...MESSAGES_ROUTES,
  ...TURNS_ROUTES,
  ...STIMULI_ROUTES,
  ...OBSERVATIONS_ROUTES,
  ...READING_ROUTES,
  ...ASSETS_ROUTES,
  ...AGENTS_ROUTES,
  ...SESSIONS_ROUTES,
  ...TASKS_ROUTES,
  ...MEMORY_ROUTES,
  ...BOARDS_ROUTES,
  ...PROJECTS_ROUTES,
  ...MCP_ROUTES,
  ...LIVE_ROUTES,
};

export type Routes = typeof ROUTES;
export type RouteId = keyof Routes;

/** The routes that a daemon answers with a record, by one call into the domain. */
export type JsonRouteId = {
  [K in RouteId]: Routes[K] extends { carries: string } ? never : K;
}[RouteId];
/** All others: they need the raw request or answer with something else. */
export type SpecialRouteId = Exclude<RouteId, JsonRouteId>;
/** The pages of the web UI. */
export type PageId = {
  [K in RouteId]: Routes[K] extends { carries: 'page' } ? K : never;
}[RouteId];
export const PAGE_IDS = (Object.keys(ROUTES) as RouteId[]).filter(isPage);
export function isPage(id: RouteId): id is PageId {
  const { carries }: Route = ROUTES[id];
  return carries === 'page';
}
