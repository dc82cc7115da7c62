import { type Channel, LIMITS, type Member, type Message } from '@stoa/protocol';
import {
  type Caller,
  channelPath,
  codeOf,
  createChannel,
  DAEMON_ENGINES,
  headOf,
  LiveSocket,
  startWithPeople,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('channels on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;
  let bea: Caller;

  beforeAll(async () => {
    ({ directory, daemon, owner, ada, bea } = await startWithPeople(engine, {
      config: 'retention:\n  sweepSeconds: 0.05\n',
    }));
  });
  afterAll(() => directory.discard());

  it('a channel is made with its creator as first member, and read back as it was answered', async () => {
    const made = await createChannel(ada, 'made', {
      description: 'About',
      purpose: 'For',
      metadata: { a: [1] },
    });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      channelId: 'made',
      title: 'made',
      description: 'About',
      purpose: 'For',
      createdBy: 'human:ada',
      memberCount: 1,
      messageCount: 0,
      pinnedAssetIds: [],
      metadata: { a: [1] },
      headSeq: 2,
    });
    expect((await bea.get(channelPath('made'))).json).toEqual(made.json);
    const { members } = (await bea.get<{ members: Member[] }>(channelPath('made', '/members')))
      .json;
    expect(members.map(({ actorId }) => actorId)).toEqual(['human:ada']);
  });

  it('of many who make a channel with one id at once, one does', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => createChannel(i % 2 ? ada : owner, 'raced')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array<number>(11).fill(409),
    ]);
    for (const { status, json } of answers)
      if (status === 409) expect(codeOf(json)).toBe('channel_exists');
    expect(await headOf(owner, 'raced')).toBe(2);
  });

  it.each([
    'UPPER',
    '-dash',
    'dash-',
    'with space',
    'a/b',
    '..',
    '.',
    '',
    'x'.repeat(65),
    'ümlaut',
  ])('a channel cannot be called %j', async (channelId) => {
    const made = await createChannel(owner, channelId);
    expect(made.status).toBe(400);
    expect(codeOf(made.json)).toBe('invalid_request');
  });

  it('a channel without a title, or with one of blanks only, is not made', async () => {
    for (const title of ['', '   ', '\n', 'x'.repeat(LIMITS.titleChars + 1)]) {
      const made = await createChannel(owner, 'untitled', { title });
      expect(made.status).toBe(400);
    }
    expect((await owner.get(channelPath('untitled'))).json).toMatchObject({
      code: 'channel_not_found',
      status: 404,
    });
  });

  it('its creator and the owner change it, others do not; null clears and absence leaves', async () => {
    await createChannel(ada, 'changed', { description: 'old', purpose: 'kept' });
    const refused = await bea.patch(channelPath('changed'), { title: 'Mine' });
    expect(refused.status).toBe(403);
    expect(codeOf(refused.json)).toBe('forbidden');
    const cleared = await ada.patch<Channel>(channelPath('changed'), {
      title: 'New',
      description: null,
    });
    expect(cleared.json).toMatchObject({ title: 'New', purpose: 'kept', headSeq: 3 });
    expect(cleared.json.description).toBeUndefined();
    expect(
      (await owner.patch<Channel>(channelPath('changed'), { purpose: 'by the owner' })).status,
    ).toBe(200);
    expect((await ada.patch(channelPath('changed'), {})).status).toBe(400);
    expect(await headOf(owner, 'changed')).toBe(4);
  });

  it('an archived channel is read and not written, until it is opened again', async () => {
    await createChannel(ada, 'shelved');
    const message = await ada.post<Message>(channelPath('shelved', '/messages'), {
      text: 'before',
    });
    const asset = await ada.post<{ assetId: string }>('/v1/assets', undefined, { raw: 'shelved' });
    expect((await bea.post(channelPath('shelved', '/archive'))).status).toBe(403);
    const archived = await ada.post<Channel>(channelPath('shelved', '/archive'));
    expect(archived.json.archivedAt).toBeTypeOf('number');
    const again = await ada.post<Channel>(channelPath('shelved', '/archive'));
    expect(again.json).toEqual(archived.json);

    const inMessage = channelPath('shelved', `/messages/${message.json.messageId}`);
    for (const attempt of [
      () => ada.post(channelPath('shelved', '/messages'), { text: 'after' }),
      () => ada.patch(inMessage, { text: 'changed' }),
      () => ada.delete(inMessage),
      () => ada.post(`${inMessage}/reactions`, { emoji: '👍' }),
      () => ada.patch(channelPath('shelved'), { title: 'Changed' }),
      () => ada.put(channelPath('shelved', `/pins/${asset.json.assetId}`)),
      () => bea.post(channelPath('shelved', '/members'), {}),
    ]) {
      const { status, json } = await attempt();
      expect([status, codeOf(json)]).toEqual([409, 'channel_archived']);
    }
    expect((await bea.get(inMessage)).json).toEqual(message.json);
    expect(await headOf(owner, 'shelved')).toBe(archived.json.headSeq);

    const opened = await ada.post<Channel>(channelPath('shelved', '/unarchive'));
    expect(opened.json.archivedAt).toBeUndefined();
    expect((await ada.post(channelPath('shelved', '/messages'), { text: 'after' })).status).toBe(
      201,
    );
  });

  it('a deleted channel is gone for everybody, and its id is never used again', async () => {
    await createChannel(ada, 'erased');
    const message = await ada.post<Message>(channelPath('erased', '/messages'), {
      text: 'the word plumbago',
    });
    const socket = await LiveSocket.open(daemon.url, ada);
    await socket.subscribe('channel:erased');
    expect((await bea.delete(channelPath('erased'))).status).toBe(403);
    expect((await ada.delete(channelPath('erased'))).status).toBe(204);
    await until('followers are informed', () =>
      socket.events().some(({ type }) => type === 'channel_deleted'),
    );
    await socket.close();

    for (const rest of [
      '',
      '/members',
      '/messages',
      `/messages/${message.json.messageId}`,
      '/cursor',
    ]) {
      const { status, json } = await owner.get(channelPath('erased', rest));
      expect([status, codeOf(json)]).toEqual([404, 'channel_not_found']);
    }
    expect((await owner.get('/v1/topics/channel:erased/events')).status).toBe(404);
    const found = await owner.get<{ hits: unknown[] }>('/v1/search?query=plumbago');
    expect(found.json.hits).toEqual([]);
    const reused = await createChannel(ada, 'erased');
    expect([reused.status, codeOf(reused.json)]).toEqual([409, 'channel_exists']);
    await until('its messages are off the disk', async () => {
      const left = await directory.query(
        `SELECT count(*) AS "count" FROM "events" WHERE "body" LIKE '%plumbago%'`,
      );
      return Number(left[0]?.['count']) === 0;
    });
    const stillTaken = await createChannel(ada, 'erased');
    expect(codeOf(stillTaken.json)).toBe('channel_exists');
  });

  it('the list pages by id, leaves out what is archived unless asked, and finds by words', async () => {
    for (let i = 0; i < 9; i++)
      await createChannel(owner, `list-${String(i)}`, { title: `Gardening ${String(i)}` });
    await owner.post(channelPath('list-4', '/archive'));
    await owner.patch(channelPath('list-7'), { description: '100% Roses_and_thorns' });
    const page = async (query: string) =>
      (await owner.get<{ channels: Channel[]; nextAfter?: string }>(`/v1/channels?${query}`)).json;
    const ids = (channels: Channel[]) => channels.map(({ channelId }) => channelId);

    const seen: string[] = [];
    let after = '';
    do {
      const { channels, nextAfter } = await page(`query=gardening&limit=3${after}`);
      expect(channels.length).toBeLessThanOrEqual(3);
      seen.push(...ids(channels));
      after = nextAfter === undefined ? '' : `&after=${nextAfter}`;
      if (seen.length === 3)
        await createChannel(owner, 'list-0-new', { title: 'Gardening before the page' });
    } while (after !== '');
    expect(seen).toEqual([0, 1, 2, 3, 5, 6, 7, 8].map((i) => `list-${String(i)}`));
    expect(ids((await page('query=GARDENING&archived=only')).channels)).toEqual(['list-4']);
    expect(ids((await page('query=gardening&archived=include&limit=200')).channels)).toHaveLength(
      10,
    );
    expect(ids((await page('query=100%25%20roses_')).channels)).toEqual(['list-7']);
    expect(ids((await page('query=100_')).channels)).toEqual([]);
    expect((await owner.get('/v1/channels?limit=201')).status).toBe(400);
    expect((await owner.get('/v1/channels?unknown=1')).status).toBe(400);
  });

  it('a channel is found by its title as it is written, in any script', async () => {
    await createChannel(owner, 'umlaut', { title: 'Ärger mit ŞEHİR und 部署' });
    for (const query of ['Ärger', 'Ärger MIT', 'ŞEHİR', '部署']) {
      const { json } = await owner.get<{ channels: Channel[] }>(
        `/v1/channels?query=${encodeURIComponent(query)}`,
      );
      expect(json.channels.map(({ channelId }) => channelId)).toEqual(['umlaut']);
    }
  });

  it.each(['channel', 'member', 'message'] as const)(
    'metadata of a %s is kept as given, up to 32 KiB',
    async (what) => {
      await createChannel(owner, `metadata-${what}`);
      const write = (metadata: object) => {
        if (what === 'channel') return owner.patch(channelPath(`metadata-${what}`), { metadata });
        if (what === 'member')
          return owner.post(channelPath(`metadata-${what}`, '/members'), { metadata });
        return owner.post(channelPath(`metadata-${what}`, '/messages'), { text: 'x', metadata });
      };
      const given = {
        z: 1,
        a: { 'ключ 🔑': [null, true, 1.5e-7, '', { deep: [] }] },
        '': 'empty key',
      };
      expect((await write(given)).json).toMatchObject({ metadata: given });
      const testChannel = LIMITS.metadataBytes - Buffer.byteLength('{"a":""}');
      expect((await write({ a: 'x'.repeat(testChannel) })).status).toBeLessThan(300);
      const head = await headOf(owner, `metadata-${what}`);
      for (const metadata of [
        { a: 'x'.repeat(testChannel + 1) },
        { a: '部'.repeat(testChannel / 3 + 1) },
      ]) {
        const { status, json } = await write(metadata);
        expect([status, codeOf(json)]).toEqual([400, 'invalid_metadata']);
      }
      expect(await headOf(owner, `metadata-${what}`)).toBe(head);
    },
  );

  it('leave every projection equal to a replay of its log', async () => {
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
  });
});
