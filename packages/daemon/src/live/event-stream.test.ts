import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Core } from '@stoa/core';
import type { Principal } from '@stoa/protocol';
import { openSqliteStore, type Store, type Tx } from '@stoa/store';
import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { knownError } from '../http/problems.js';
import { createEventStream } from './event-stream.js';
import { liveCore } from './live-core.fixture.js';
import { Streams } from './streams.js';

/** A store whose reads wait or fail when the test wants it, as those of a database far away do. */
function withGate(store: Store) {
  const waiting: (() => void)[] = [];
  const read = store.read.bind(store);
  const gate = {
    store: Object.assign(store, {
      read: async <T>(body: () => Tx<T>): Promise<T> => {
        gate.reads += 1;
        if (gate.reads === gate.failAt) throw new Error('the disk is on fire');
        if (gate.held) await new Promise<void>((resolve) => waiting.push(resolve));
        return read(body);
      },
    }),
    reads: 0,
    failAt: undefined as number | undefined,
    held: false,
    waiting: () => waiting.length,
    letGo() {
      gate.held = false;
      for (const go of waiting.splice(0)) go();
    },
  };
  return gate;
}

describe('an event stream', () => {
  let home: string;
  let gate: ReturnType<typeof withGate>;
  let core: Core;
  let owner: Principal;
  let secret: string;
  let server: FastifyInstance;
  let streams: Streams;
  let url: string;
  const logged = new PassThrough();
  const phase = { stopping: false };

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'stoa-events-'));
    phase.stopping = false;
    gate = withGate(openSqliteStore(join(home, 'stoa.db'), { durability: 'relaxed' }));
    core = liveCore(gate.store, home);
    secret = 'x'.repeat(40);
    await core.credentials.adoptOwnerToken(secret, 'here');
    owner = (await core.credentials.authenticate({ as: 'token', secret })) as Principal;
    await core.channels.create(owner, { channelId: 'lobby', title: 'Lobby' }, undefined);
  });
  afterEach(async () => {
    gate.letGo();
    server.server.closeAllConnections();
    await server.close();
    await gate.store.close();
    rmSync(home, { recursive: true });
  });

  async function serve(core: Core, limit = 5): Promise<void> {
    streams = new Streams(limit);
    server = fastify();
    const handle = createEventStream({
      core,
      streams,
      log: pino({}, logged),
      stopping: () => phase.stopping,
    });
    server.decorateRequest('principal', undefined);
    server.get('/v1/events', (request, reply) => {
      request.principal = owner;
      return handle(request, reply);
    });
    server.setErrorHandler((error, _, reply) => {
      const known = knownError(error);
      return reply.code(known?.status ?? 500).send({ code: known?.code });
    });
    url = await server.listen({ host: '127.0.0.1', port: 0 });
  }

  const open = async (more = ''): Promise<IncomingMessage> => {
    const request = get(`${url}/v1/events?topic=channel:lobby${more}`, {
      agent: false,
      headers: { authorization: `Bearer ${secret}` },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response.setEncoding('utf8');
  };

  it('uses no slot for a reader that left while its topics were looked up', async () => {
    await serve(core);
    gate.held = true;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = ['GET /v1/events?topic=channel:lobby HTTP/1.1', 'Host: x'];
    socket.write([...head, `Authorization: Bearer ${secret}`, '', ''].join('\r\n'));
    await vi.waitUntil(() => gate.waiting() > 0);
    socket.destroy();
    await vi.waitUntil(
      () =>
        new Promise((resolve) => {
          server.server.getConnections((_, count) => resolve(count === 0));
        }),
    );
    gate.letGo();
    const next = await open();
    expect(streams.count).toBe(1);
    next.destroy();
    await vi.waitUntil(() => streams.count === 0);
  });

  it('is refused if the last slot was taken while its topics were looked up', async () => {
    await serve(core, 1);
    gate.held = true;
    const asked = [open(), open()];
    await vi.waitUntil(() => gate.waiting() === 2);
    gate.letGo();
    const answers = await Promise.all(asked);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 429]);
    expect(streams.count).toBe(1);
  });

  it('is refused if the daemon began to stop while its topics were looked up', async () => {
    await serve(core);
    gate.held = true;
    const asked = open();
    await vi.waitUntil(() => gate.waiting() === 1);
    phase.stopping = true;
    gate.letGo();
    expect((await asked).statusCode).toBe(503);
    expect(streams.count).toBe(0);
  });

  it('that fails after it began reports it, ends, and logs it', async () => {
    const follow = (): Promise<never> => Promise.reject(new Error('the disk is on fire'));
    await serve({ ...core, hub: { follow } as unknown as Core['hub'] });
    const response = await open();
    let text = '';
    response.on('data', (chunk: string) => (text += chunk));
    await once(response, 'end');
    expect(text).toMatch(/^event: stoa\.error\ndata: \{"type":"error","code":"internal",/);
    expect(String(logged.read())).toContain('the disk is on fire');
    expect(streams.count).toBe(0);
  });

  it('that can no longer read the log reports that it is unavailable, not that the reader was slow', async () => {
    await serve(core);
    const { channels } = core;
    for (let i = 0; i < 250; i++) await channels.post(owner, 'lobby', { text: 'x' }, undefined);
    const readAll = async (): Promise<string> => {
      const response = await open('&after=0');
      let text = '';
      response.on('data', (chunk: string) => (text += chunk));
      await vi.waitUntil(() => text.includes('id: channel:lobby=252') || response.complete);
      response.destroy();
      return text;
    };
    gate.reads = 0;
    expect(await readAll()).toContain('id: channel:lobby=252');
    // The last of the same reads again: of the second page of what was missed.
    gate.failAt = gate.reads;
    gate.reads = 0;
    const text = await readAll();
    expect(text).toContain('id: channel:lobby=200\n');
    expect(text).toContain('event: stoa.closing\ndata: {"type":"closing","reason":"unavailable"}');
    expect(text).not.toContain('slow_reader');
  });
});
