import { describe, expect, it } from 'vitest';
import { CALLER_CLASSES } from './api/access-table.js';
import type { Route } from './api/route.js';
import { schemasOf } from './api/route-schemas.js';
import { ROUTES } from './api/routes.js';
import { ERRORS } from './errors/registry.js';
import { StoaError } from './errors/stoa-error.js';

const routes = Object.entries(ROUTES) as [string, Route][];

describe('the contract', () => {
  it('gives every route a place in the authorisation table', () => {
    for (const [, route] of routes) {
      expect(route.access.length).toBeGreaterThan(0);
      for (const caller of route.access) expect(CALLER_CLASSES).toContain(caller);
    }
  });

  it('lets nobody change anything without a credential, but for what is signed', () => {
    const open = routes.filter(
      ([, { method, access }]) => method !== 'GET' && access.includes('anonymous'),
    );
    expect(open.map(([id]) => id)).toEqual(['logIn', 'proveDaemon', 'grantAccess', 'observe']);
  });

  it('names every path parameter in its schema', () => {
    for (const [id, route] of routes) {
      const inPath = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
      expect(Object.keys(schemasOf(route).params?.shape ?? {}), id).toEqual(inPath);
    }
  });

  it('has errors with a status that HTTP knows and a title', () => {
    for (const [code, { status, title }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(title.length).toBeGreaterThan(10);
    }
  });

  it('tells a problem with its code and the places that are wrong', () => {
    const issues = [{ path: 'body.text', message: 'must be string' }];
    expect(new StoaError('invalid_request', 'no', issues).toProblem()).toEqual({
      type: 'urn:stoa:error:invalid_request',
      title: ERRORS.invalid_request.title,
      status: 400,
      code: 'invalid_request',
      detail: 'no',
      issues,
    });
  });
});
