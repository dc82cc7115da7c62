import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CALLER_CLASSES } from './api/access-table.js';
import { StreamFrame } from './api/live.js';
import type { Route } from './api/route.js';
import { schemasOf } from './api/route-schemas.js';
import { ROUTES } from './api/routes.js';
import { STREAM_FRAME_TYPES } from './enumerations.js';
import { ERRORS } from './errors/registry.js';
import { StoaError } from './errors/stoa-error.js';

const routes = Object.entries(ROUTES) as [string, Route][];

describe('the contract', () => {
  it('lists every route in the authorisation table', () => {
    for (const [, route] of routes) {
      expect(route.access.length).toBeGreaterThan(0);
      for (const caller of route.access) expect(CALLER_CLASSES).toContain(caller);
    }
  });

  it('requires a credential for every change, except for signed requests', () => {
    const open = routes.filter(
      ([, { method, access }]) => method !== 'GET' && access.includes('anonymous'),
    );
    expect(open.map(([id]) => id).sort()).toEqual([
      'grantAccess',
      'logIn',
      'observe',
      'proveDaemon',
    ]);
  });

  it('names every path parameter in its schema', () => {
    for (const [id, route] of routes) {
      const inPath = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
      expect(Object.keys(schemasOf(route).params?.shape ?? {}), id).toEqual(inPath);
    }
  });

  it('names the method of the client for a route once', () => {
    const methods = routes.flatMap(([, { client }]) => (client === undefined ? [] : [client]));
    expect(new Set(methods).size).toBe(methods.length);
  });

  it('names the field that continues a list, in the query and the answer', () => {
    const paged = routes.filter(([, { paging }]) => paging !== undefined);
    expect(paged.length).toBeGreaterThan(10);
    for (const [id, route] of paged) {
      const { query, answer } = schemasOf(route);
      const next = route.paging === 'after' ? 'nextAfter' : 'nextBefore';
      expect(Object.keys(query?.shape ?? {}), id).toContain(route.paging);
      expect(Object.keys((answer as z.ZodObject).shape), id).toContain(next);
    }
  });

  it('continues no list in a field that its route does not name', () => {
    for (const [id, route] of routes) {
      const { answer } = schemasOf(route);
      const fields = answer instanceof z.ZodObject ? Object.keys(answer.shape) : [];
      const isPaged = fields.some((field) => field === 'nextAfter' || field === 'nextBefore');
      expect(isPaged, id).toBe(route.paging !== undefined);
    }
  });

  it('repeats no lost call that creates something, unless it has a key', () => {
    const creating = routes.filter(([, { method, status }]) => method === 'POST' && status === 201);
    const always = creating.filter(([, { retry }]) => retry === 'always').map(([id]) => id);
    // A login code that nobody received expires, and a source gives each observation an id.
    expect(always.sort()).toEqual(['createLoginCode', 'observe']);
  });

  it('has a frame for every name of a frame', () => {
    const types = StreamFrame.options.map(({ shape }) => shape.type.value);
    expect(types).toEqual([...STREAM_FRAME_TYPES]);
  });

  it('has constants that load no schemas', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const source = fs.readFileSync(file, 'utf8');
      for (const [, name = ''] of source.matchAll(
        /^(?:import|export) (?!type\b)[^;]*?from '([^']+)'/gm,
      )) {
        expect(name, file).toMatch(/^\./);
        load(path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')));
      }
    };
    load(path.join(import.meta.dirname, 'constants.ts'));
    expect(loaded.size).toBeGreaterThan(20);
  });

  it('has errors with a valid HTTP status and a title', () => {
    for (const [code, { status, title }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(title.length).toBeGreaterThan(10);
    }
  });

  it('reports a problem with its code and the wrong fields', () => {
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
