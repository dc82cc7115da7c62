import { ROUTES, type Route } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { createServer, type ServerPorts } from './server.js';

describe('the routes of the server', () => {
  // The parts behind the routes are used by requests; there are none here.
  const newServer = () => createServer({ handlers: {}, special: {} } as ServerPorts);

  it('F-22 are exactly those of the authorisation table', async () => {
    const server = newServer();
    const found: string[] = [];
    server.addHook('onRoute', ({ method, url }) => {
      found.push(`${String(method)} ${url}`);
    });
    await server.ready();
    // The WebSocket is served on the upgrade, which goes by the same entry.
    const expected = Object.values<Route>(ROUTES).filter(({ path }) => path !== ROUTES.stream.path);
    expect(found.sort()).toEqual(expected.map(({ method, path }) => `${method} ${path}`).sort());
    await server.close();
  });

  it.each(['GET', 'POST', ['GET', 'HEAD']])(
    'F-22 cannot be added to past the table (%s)',
    async (method) => {
      const server = newServer();
      expect(() =>
        server.route({ method, url: '/v1/back-door', handler: () => Promise.resolve('in') }),
      ).toThrow('/v1/back-door has no entry in the authorisation table');
      await server.close();
    },
  );
});
