import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStore, type Tx } from '@stoa/store';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OriginGuard } from '../http/origin-guard.js';
import { liveCore } from './live-core.fixture.js';
import { Streams } from './streams.js';
import { serveWebSocket } from './web-socket.js';

const SECRET = 'x'.repeat(40);

describe('an upgrade during the lookup of its caller', () => {
  let home: string;
  let store: SqliteStore;
  let server: Server;
  let streams: Streams;
  let endSockets: () => void;
  let isHeld = false;
  let isStopping = false;
  const waiting: (() => void)[] = [];
  const clients: Socket[] = [];

  beforeEach(async () => {
    isHeld = isStopping = false;
    home = mkdtempSync(join(tmpdir(), 'stoa-upgrade-'));
    store = openSqliteStore(join(home, 'stoa.db'), { durability: 'relaxed' });
    const read = store.read.bind(store);
    const heldStore = Object.assign(store, {
      read: async <T>(body: () => Tx<T>): Promise<T> => {
        if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
        return read(body);
      },
    });
    const core = liveCore(heldStore, home);
    await core.credentials.adoptOwnerToken(SECRET, 'here');
    const guard = new OriginGuard();
    guard.allow(['here']);
    streams = new Streams(1);
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    endSockets = serveWebSocket(server, {
      core,
      guard,
      streams,
      log: pino({ level: 'silent' }),
      stopping: () => isStopping,
    });
  });
  afterEach(async () => {
    letGo();
    for (const client of clients.splice(0)) client.destroy();
    endSockets();
    server.close();
    await once(server, 'close');
    await store.close();
    rmSync(home, { recursive: true });
  });

  function letGo(): void {
    isHeld = false;
    for (const go of waiting.splice(0)) go();
  }

  /** Resolves when the daemon has begun to look up who it is. */
  async function upgrade(): Promise<{ text(): string; ended(): boolean }> {
    const before = waiting.length;
    const client = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    clients.push(client);
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    let isOver = false;
    client.on('error', () => undefined).on('end', () => (isOver = true));
    client.on('close', () => (isOver = true));
    client.write(
      [
        'GET /v1/stream HTTP/1.1',
        'Host: here',
        `Authorization: Bearer ${SECRET}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '',
        '',
      ].join('\r\n'),
    );
    await vi.waitUntil(() => waiting.length > before);
    return { text: () => text, ended: () => isOver };
  }

  it('ends with the others when all are ended', async () => {
    isHeld = true;
    const client = await upgrade();
    endSockets();
    await vi.waitUntil(() => client.ended());
    expect(client.text()).toBe('');
  });

  it('is refused if the daemon began to stop meanwhile', async () => {
    isHeld = true;
    const client = await upgrade();
    isStopping = true;
    letGo();
    await vi.waitUntil(() => client.ended());
    expect(client.text()).toContain('shutting_down');
    expect(streams.count).toBe(0);
  });

  it('is refused if the last slot was taken meanwhile', async () => {
    isHeld = true;
    const asked = [await upgrade(), await upgrade()];
    letGo();
    await vi.waitUntil(() => asked.every((client) => client.text() !== ''));
    const statuses = asked.map((client) => client.text().split(' ')[1]);
    expect(statuses.sort()).toEqual(['101', '429']);
    expect(streams.count).toBe(1);
  });
});
