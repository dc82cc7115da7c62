import fs from 'node:fs';
import path from 'node:path';
import { LIMITS, ROUTES, type Route } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { ASSET_BYTES, ITEMS_PER_MESSAGE } from '../api/assets.js';
import { TOPICS_PER_STREAM } from '../client.js';
import { CALLS, STREAM_PATH } from './calls.js';

const routes: Record<string, Route> = ROUTES;

describe('the table of calls', () => {
  it('repeats method and path of the contract, and repeats under a key what the contract keys', () => {
    for (const [id, call] of Object.entries(CALLS)) {
      const route = routes[id];
      expect({ id, method: call.method, path: call.path, keyed: call.repeat === 'keyed' }).toEqual({
        id,
        method: route?.method,
        path: route?.path,
        keyed: route?.idempotent ?? false,
      });
    }
    expect(STREAM_PATH).toBe(ROUTES.stream.path);
    expect(TOPICS_PER_STREAM).toBe(LIMITS.topicsPerStream);
    expect(ASSET_BYTES).toBe(LIMITS.assetBytes);
    expect(ITEMS_PER_MESSAGE).toBe(LIMITS.inputItems);
  });

  it('leaves out only what belongs to browsers, operators and live streams', () => {
    const left = Object.keys(routes).filter((id) => !(id in CALLS));
    // Whatever a browser loads by itself: pages, and the files of the web UI.
    const loaded = Object.keys(routes).filter((id) => routes[id]?.tag === 'browser');
    expect(loaded).toContain('channelPage');
    expect(left).toEqual(expect.arrayContaining(loaded));
    expect(left.filter((id) => !loaded.includes(id)).sort()).toEqual([
      'events',
      'healthz',
      'mcp',
      'mcpStream',
      'metrics',
      'openapi',
      'readyz',
      'stream',
    ]);
  });
});

describe('the package', () => {
  it('takes nothing but types from the contract, so that browsers and commands load no schemas', () => {
    const source = path.resolve(import.meta.dirname, '..');
    const files = fs
      .readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const loading = files.filter((file) =>
      /^(?:import|export) (?!type\b)[^;]*from '@stoa\/protocol'/m.test(
        fs.readFileSync(path.join(source, file), 'utf8'),
      ),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(loading).toEqual([]);
  });
});
