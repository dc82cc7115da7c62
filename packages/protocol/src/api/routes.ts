import { type Merged, mergedTables } from '../noun-tables.js';
import type { Route } from './route.js';

export type Routes = Merged<Route>;

/** The whole HTTP contract, including the authorisation table: a route that no noun exports does not exist. */
export const ROUTES: Routes = mergedTables<Route>('method', 'path');

export type RouteId = keyof Routes;

/** The routes that the daemon answers with a record, by one call into the domain. */
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
