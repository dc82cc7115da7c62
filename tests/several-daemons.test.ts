import {
  callerOf,
  type FreshDatabase,
  freshDatabase,
  LiveSocket,
  newPerson,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('two daemons on one PostgreSQL database', () => {
  let database: FreshDatabase;
  let here: TestDaemon;
  let there: TestDaemon;

  beforeAll(async () => {
    database = await freshDatabase();
    const env = { STOA_DATABASE_URL: database.url };
    [here, there] = await Promise.all([startDaemon({ env }), startDaemon({ env })]);
    const created = await callerOf(here.url, here.token).post('/v1/channels', {
      channelId: 'lobby',
      title: 'Lobby',
    });
    expect(created.status).toBe(201);
  });

  afterAll(async () => {
    await here.cleanUp();
    await there.cleanUp();
    await database.drop();
  });

  const post = (daemon: TestDaemon, text: string) =>
    callerOf(daemon.url, daemon.token).post('/v1/channels/lobby/messages', { text });

  it('each have an owner token of their own, and take the other one too', async () => {
    expect(here.token).not.toBe(there.token);
    expect((await callerOf(there.url, here.token).get('/v1/whoami')).status).toBe(200);
    expect((await callerOf(here.url, there.token).get('/v1/whoami')).status).toBe(200);
  });

  it('deliver live what was posted on either, in one order', async () => {
    const readers = [
      await LiveSocket.open(here.url, { token: here.token }),
      await LiveSocket.open(there.url, { token: there.token }),
    ];
    for (const reader of readers) await reader.subscribe('channel:lobby');
    const posts = Array.from({ length: 40 }, (_, i) =>
      post(i % 2 ? here : there, `message ${String(i)}`),
    );
    const answers = await Promise.all(posts);
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
    const [first, second] = await Promise.all(
      readers.map((reader) =>
        until('everything has arrived', () => {
          const events = reader.events('channel:lobby');
          return events.length >= 40 && events.map((event) => event.seq);
        }),
      ),
    );
    expect(first).toEqual(Array.from({ length: 40 }, (_, i) => i + (first?.[0] ?? 0)));
    expect(second).toEqual(first);
    for (const reader of readers) await reader.close();
  });

  it('end the live streams of a token on one that was revoked on the other', async () => {
    const person = await newPerson(here, 'wanderer');
    const stream = await LiveSocket.open(there.url, { token: person.token });
    await stream.subscribe('channel:lobby');
    const owner = callerOf(here.url, here.token);
    const { tokens } = (
      await owner.get<{ tokens: { humanId: string; credentialId: string }[] }>('/v1/tokens')
    ).json;
    const { credentialId } = tokens.find((token) => token.humanId === 'wanderer') ?? {};
    expect((await owner.delete(`/v1/tokens/${String(credentialId)}`)).status).toBe(204);
    await stream.ended();
    expect(stream.framesOf('closing')).toEqual([{ type: 'closing', reason: 'revoked' }]);
    expect((await callerOf(there.url, person.token).get('/v1/whoami')).status).toBe(401);
  });

  it('answer a repeated idempotency key alike on every daemon, and store it once', async () => {
    const headers = { 'idempotency-key': 'across-daemons' };
    const ask = (daemon: TestDaemon) =>
      callerOf(daemon.url, here.token).post(
        '/v1/channels/lobby/messages',
        { text: 'once' },
        { headers },
      );
    const answers = await Promise.all([ask(here), ask(there), ask(here), ask(there)]);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0].status).toBe(201);
  });

  it('find in a search on one what was posted on the other', async () => {
    await post(here, 'a word like zanzibar');
    const found = await callerOf(there.url, there.token).get<{ hits: unknown[] }>(
      '/v1/search?query=zanzibar',
    );
    expect(found.json.hits).toHaveLength(1);
  });

  it('go on with what one holds when the other is killed', async () => {
    const answer = await post(there, 'last words');
    expect(answer.status).toBe(201);
    await there.kill();
    const page = await callerOf(here.url, here.token).get<{ messages: { messageId: string }[] }>(
      '/v1/channels/lobby/messages?limit=1',
    );
    expect(page.json.messages[0]?.messageId).toBe(answer.json['messageId']);
    expect((await post(here, 'life goes on')).status).toBe(201);
    expect((await callerOf(here.url, here.token).post('/v1/checks')).json).toMatchObject({
      ok: true,
    });
  });
});
