import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Message } from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  DAEMON_ENGINES,
  EventStream,
  type FreshDatabase,
  freshDatabase,
  LiveSocket,
  startDaemon,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('a defect on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
  });
  afterAll(async () => {
    await directory.discard();
  });

  it('is answered with a code and nothing of what is inside, is in the log, and costs no other request', async () => {
    const owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
    const { json } = await owner.post<Message>('/v1/channels/lobby/messages', { text: 'hello' });
    const path = `/v1/channels/lobby/messages/${json.messageId}`;

    await directory.query('ALTER TABLE "reactions" RENAME TO "hidden"');
    const broken = await owner.get(path);
    expect(broken.status).toBe(500);
    expect(broken.json).toMatchObject({ code: 'internal', type: 'urn:stoa:error:internal' });
    expect(broken.text).not.toContain('reactions');
    expect(broken.text).not.toContain('stack');
    expect(daemon.output().stderr).toContain('a request hit a defect');
    expect(daemon.output().stderr).not.toContain(daemon.token);
    expect((await owner.get('/v1/channels/lobby')).status).toBe(200);
    expect((await owner.post('/v1/channels/lobby/messages', { text: 'still works' })).status).toBe(
      201,
    );

    await directory.query('ALTER TABLE "hidden" RENAME TO "reactions"');
    expect((await owner.get(path)).json).toEqual(json);
  });
});

/** A proxy between the daemon and its database that can be removed. */
class Cable {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(private readonly to: URL) {}

  async plugIn(): Promise<string> {
    this.#server = createServer((near) => {
      const far = connect(Number(this.to.port), this.to.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    }).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    const url = new URL(this.to);
    url.port = String(this.#port);
    return url.href;
  }

  async pull(): Promise<void> {
    if (!this.#server) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }
}

describe('a database that goes away', () => {
  let database: FreshDatabase;
  let cable: Cable;
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    database = await freshDatabase();
    cable = new Cable(new URL(database.url));
    daemon = await startDaemon({ env: { STOA_DATABASE_URL: await cable.plugIn() } });
    owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await cable.pull();
    await database.drop();
  });

  it('is answered with storage_unavailable, and everything works again when it is back', async () => {
    const reader = await LiveSocket.open(daemon.url, daemon);
    await reader.subscribe('channel:lobby', 0);
    const first = await owner.post<Message>('/v1/channels/lobby/messages', { text: 'before' });
    await until('it has come', () => reader.events().at(-1)?.seq === first.json.seq);

    await cable.pull();
    for (const attempt of [
      () => owner.post('/v1/channels/lobby/messages', { text: 'lost' }),
      () => owner.get('/v1/channels/lobby'),
    ]) {
      const { status, json } = await attempt();
      expect([status, json['code']]).toEqual([503, 'storage_unavailable']);
    }
    expect((await call(daemon.url, 'GET', '/healthz')).status).toBe(200);

    await cable.plugIn();
    const second = await until('the daemon has found it again', async () => {
      const posted = await owner.post<Message>('/v1/channels/lobby/messages', { text: 'after' });
      return posted.status === 201 ? posted.json : undefined;
    });
    const { json } = await owner.get<{ messages: Message[] }>('/v1/channels/lobby/messages');
    expect(json.messages.map(({ messageId }) => messageId)).toEqual([
      first.json.messageId,
      second.messageId,
    ]);
    // The reader continues, or was asked to reconnect: it never misses an event silently.
    await until(
      'the reader has it too, or was let go',
      () => reader.events().at(-1)?.seq === second.seq || reader.closed !== undefined,
    );
    const seqs = reader.events().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
    reader.terminate();
  });
});

describe('live streams', () => {
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    daemon = await startDaemon({ config: 'streams:\n  limit: 3\n' });
    owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  it('are as many as the configuration allows, and one that ends makes room', async () => {
    const sockets = await Promise.all([1, 2].map(() => LiveSocket.open(daemon.url, daemon)));
    const stream = await EventStream.open(daemon.url, 'topic=channel:lobby', daemon);
    await expect(LiveSocket.open(daemon.url, daemon)).rejects.toMatchObject({
      status: 429,
      code: 'too_many_streams',
    });
    await expect(EventStream.open(daemon.url, 'topic=channel:lobby', daemon)).rejects.toThrow(
      '429',
    );
    stream.close();
    const late = await until('there is room', () =>
      LiveSocket.open(daemon.url, daemon).catch(() => undefined),
    );
    for (const socket of [...sockets, late]) await socket.close();
  });

  it('follow a hundred topics and not one more', async () => {
    const ids = Array.from({ length: 101 }, (_, i) => `many-${String(i)}`);
    for (let i = 0; i < ids.length; i += 20) {
      await Promise.all(
        ids
          .slice(i, i + 20)
          .map((channelId) => owner.post('/v1/channels', { channelId, title: channelId })),
      );
    }
    const socket = await until('there is room', () =>
      LiveSocket.open(daemon.url, daemon).catch(() => undefined),
    );
    for (const id of ids) socket.say({ type: 'subscribe', topic: `channel:${id}` });
    await until('all is answered', () => socket.frames.length === 101);
    expect(socket.framesOf('subscribed')).toHaveLength(100);
    expect(socket.framesOf('error')).toMatchObject([
      { topic: 'channel:many-100', code: 'limit_reached' },
    ]);
    await socket.close();
  });

  it('of topics that do not exist are refused', async () => {
    const { status, json } = await owner.get('/v1/events?topic=nonsense');
    expect([status, json['code']]).toEqual([404, 'topic_not_found']);
  });
});
