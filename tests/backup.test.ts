import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backup, Channel, Message } from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  DAEMON_ENGINES,
  type DaemonPlace,
  newPerson,
  startDaemon,
  type TestDaemon,
  until,
  withDatabaseFile,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('a backup on $name', (engine) => {
  let place: DaemonPlace;
  let daemon: TestDaemon;
  let owner: Caller;
  let target: string;
  const channels = ['left', 'right'];

  beforeAll(async () => {
    place = await engine.newPlace();
    target = mkdtempSync(join(tmpdir(), 'stoa-backup-'));
    daemon = await place.start();
    owner = callerOf(daemon.url, daemon.token);
    for (const channelId of channels)
      await owner.post('/v1/channels', { channelId, title: channelId });
    const text = 'x'.repeat(20_000);
    await Promise.all(
      Array.from({ length: 60 }, () => owner.post('/v1/channels/left/messages', { text })),
    );
  });
  afterAll(async () => {
    await place.discard();
    rmSync(target, { recursive: true, force: true });
  });

  const backup = (directory?: string) =>
    owner.post<Backup>('/v1/backups', directory === undefined ? {} : { directory });

  /** Posts to one channel after the other, until it is told to stop; returns what was acknowledged. */
  function posting() {
    let stopped = false;
    const acknowledged: { channelId: string; seq: number; messageId: string }[] = [];
    const poster = async (): Promise<void> => {
      for (let i = 0; !stopped; i++) {
        const channelId = channels[i % 2] as string;
        const { json } = await owner.post<Message>(`/v1/channels/${channelId}/messages`, {
          text: 'while copying',
        });
        acknowledged.push({ channelId, seq: json.seq, messageId: json.messageId });
      }
    };
    const running = Promise.all([poster(), poster(), poster()]);
    return {
      acknowledged,
      async stop() {
        stopped = true;
        await running;
      },
    };
  }

  it('F-16 made while others post opens, is sound, and is what was there at one moment', async () => {
    const asset = await owner.post<{ assetId: string }>('/v1/assets', undefined, {
      raw: 'kept in the copy',
    });
    const attached = await owner.post<Message>('/v1/channels/left/messages', {
      inputItems: [{ type: 'asset_reference', assetId: asset.json.assetId }],
    });
    const path = join(target, 'while-posting');
    const posts = posting();
    await until('they are posting', () => posts.acknowledged.length > 5);
    const before = [...posts.acknowledged];
    const made = await backup(path);
    const during = posts.acknowledged.length - before.length;
    await posts.stop();

    expect(made.status).toBe(201);
    expect(made.json.path).toBe(path);
    expect(made.json.bytes).toBeGreaterThan(60 * 20_000);
    expect(during).toBeGreaterThan(0);
    expect(readdirSync(target)).toEqual(['while-posting']);
    expect(readdirSync(path).sort()).toEqual(['assets', 'stoa.db']);

    const copied = withDatabaseFile(path, (db) => {
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      const seqs = db.prepare<[string], { seq: number }>(
        `SELECT "seq" FROM "events" WHERE "topicId" = (SELECT "id" FROM "topics" WHERE "name" = ?) ORDER BY "seq"`,
      );
      return channels.map((channelId) => seqs.all(`channel:${channelId}`).map(({ seq }) => seq));
    });
    channels.forEach((channelId, i) => {
      const seqs = copied[i] as number[];
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
      const last = Math.max(
        ...before.filter((post) => post.channelId === channelId).map(({ seq }) => seq),
      );
      expect(seqs.length).toBeGreaterThanOrEqual(last);
    });

    const copy = await startDaemon({ home: path });
    try {
      const there = callerOf(copy.url, copy.token);
      expect((await there.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
      const sizes = await Promise.all(
        channels.map(
          async (channelId) => (await there.get<Channel>(`/v1/channels/${channelId}`)).json.headSeq,
        ),
      );
      expect(sizes).toEqual(copied.map((seqs) => seqs.length));
      expect((await there.get(`/v1/assets/${asset.json.assetId}/raw`)).text).toBe(
        'kept in the copy',
      );
      const message = await there.get<Message>(
        `/v1/channels/left/messages/${attached.json.messageId}`,
      );
      expect(message.json).toEqual(
        (await owner.get(`/v1/channels/left/messages/${attached.json.messageId}`)).json,
      );
      expect(
        (await there.post('/v1/channels/left/messages', { text: 'life goes on' })).status,
      ).toBe(201);
    } finally {
      await copy.stop();
    }
  });

  it('F-16 gives nobody access who only has the copy: the token of the owner stays behind', async () => {
    const ada = await newPerson(daemon, 'ada');
    const path = join(target, 'other-hands');
    await backup(path);
    expect(existsSync(join(path, 'token'))).toBe(false);
    const copy = await startDaemon({ home: path });
    try {
      expect(copy.token).not.toBe(daemon.token);
      expect((await call(copy.url, 'GET', '/v1/whoami', { token: daemon.token })).status).toBe(401);
      expect((await call(copy.url, 'GET', '/v1/whoami', { token: ada.token })).status).toBe(200);
    } finally {
      await copy.stop();
    }
  });

  it('F-16 goes into the data directory when no other is named, and never over anything', async () => {
    const made = await backup();
    expect(made.status).toBe(201);
    expect(made.json.path.startsWith(join(place.home, 'backups'))).toBe(true);

    const taken = join(target, 'taken');
    mkdirSync(taken);
    writeFileSync(join(taken, 'precious'), 'kept');
    const refused = await backup(taken);
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ code: 'invalid_request' });
    expect(readdirSync(taken)).toEqual(['precious']);
    expect((await backup('relative/path')).json).toMatchObject({ code: 'invalid_request' });
  });

  it('F-16 that cannot be written leaves nothing half-done and says so', async () => {
    const file = join(target, 'a-file');
    writeFileSync(file, '');
    const { status, json } = await backup(join(file, 'below'));
    expect(status).toBe(503);
    expect(json).toMatchObject({ code: 'storage_unavailable' });
    expect(readdirSync(target).filter((name) => name.includes('partial'))).toEqual([]);
    expect((await owner.get('/v1/status')).status).toBe(200);
  });
});
