import * as constants from '../noun-constants.js';
import type { Route } from './route.js';

type Constants = typeof constants;
type RouteTable = Readonly<Record<string, Route>>;
type AllOf<Table> = (Table extends unknown ? (table: Table) => void : never) extends (
  all: infer All,
) => void
  ? { readonly [K in keyof All]: All[K] }
  : never;

/** The whole HTTP contract, and with it the authorisation table: a route that no noun exports does not exist. */
export const ROUTES: Routes = Object.assign(
  {},
  ...Object.values<unknown>(constants).filter(isRouteTable),
) as Routes;

export type Routes = AllOf<Extract<Constants[keyof Constants], RouteTable>>;
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

function isRouteTable(value: unknown): value is RouteTable {
  if (typeof value !== 'object' || value === null) return false;
  const routes = Object.values(value) as readonly unknown[];
  return routes.length > 0 && routes.every(isRoute);
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
