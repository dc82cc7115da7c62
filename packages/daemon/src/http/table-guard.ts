import { ROUTES, type Route } from '@stoa/protocol';

const TABLE = new Set(Object.values<Route>(ROUTES).map(({ method, path }) => `${method} ${path}`));

/** The authorisation table is the list of routes: one that is added past it stops the start. */
export function assertInTable(route: {
  readonly method: string | readonly string[];
  readonly url: string;
}): void {
  for (const method of [route.method].flat()) {
    if (TABLE.has(`${method} ${route.url}`)) continue;
    throw new Error(`${method} ${route.url} has no entry in the authorisation table`);
  }
}
