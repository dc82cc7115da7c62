import { appendEvent, type FreshDatabase, freshDatabase, until } from '@stoa/testkit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteUnusedAsset, findAsset, insertAsset } from '../verbs/assets.js';
import { insertChannel, lockChannel } from '../verbs/channels.js';
import { listEventsAfter } from '../verbs/events.js';
import { upsertMember } from '../verbs/members.js';
import { findTopic, insertTopic } from '../verbs/topics.js';
import { openPostgresStore, type PostgresStore } from './postgres-store.js';

const channelId = 'general';
const topic = 'channel:general';
const actorId = 'human:ada';

/** Two daemons on one database: what one of them holds up is held up in the server, not in its lanes. */
describe('two daemons', () => {
  let database: FreshDatabase;
  let here: PostgresStore;
  let there: PostgresStore;
  let watcher: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    const options = { url: database.url, durability: 'full' } as const;
    [here, there] = await Promise.all([openPostgresStore(options), openPostgresStore(options)]);
    watcher = new pg.Client(database.url);
    await watcher.connect();
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close(), watcher.end()]);
    await database.drop();
  });
  beforeEach(async () => {
    await watcher.query(
      'TRUNCATE "topics", "events", "channels", "members", "assets", "attachments"',
    );
    await here.transact(function* () {
      for (const name of [topic, 'human:ada', 'human:bob']) yield* insertTopic.run({ name });
      const topicId = (yield* findTopic.first({ name: topic }))?.id ?? 0;
      yield* insertChannel.run({
        topicId,
        channelId,
        title: 'General',
        description: null,
        purpose: null,
        createdBy: actorId,
        at: 1,
        metadata: '{}',
      });
      yield* upsertMember.run({
        topicId,
        memberId: 'ada',
        memberKind: 'human_actor',
        actorId,
        displayName: 'Ada',
        role: null,
        joinedAt: 1,
        metadata: '{}',
      });
    });
  });

  /** Runs `first`, holds its commit until `second` waits for it, and returns what `second` got. */
  async function overtaken<T>(first: string, second: () => Promise<T>): Promise<T> {
    const blocker = new pg.Client(database.url);
    await blocker.connect();
    try {
      await blocker.query(`BEGIN; ${first}`);
      const waiting = second();
      await until('the second transaction waits for the first', async () => {
        const { rowCount } = await watcher.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rowCount === 1;
      });
      await blocker.query('COMMIT');
      return await waiting;
    } finally {
      await blocker.end();
    }
  }

  it('see a channel as it is once they have its lock, not as it was when they asked for it', async () => {
    const opened = await overtaken(
      `SELECT 1 FROM "topics" WHERE "name" = '${topic}' FOR UPDATE;
       DELETE FROM "members" WHERE "memberId" = 'ada';
       UPDATE "channels" SET "archivedAt" = 99, "memberCount" = 7`,
      () => here.transact(() => lockChannel.first({ channelId, actorId })),
    );
    expect(opened).toMatchObject({ archivedAt: 99, memberCount: 7, memberId: null });
  });

  it('do not delete an asset that was attached while they waited for it', async () => {
    await here.transact(() =>
      insertAsset.run({
        assetId: 'asset_1',
        digest: 'd',
        mediaType: 'text/plain',
        bytes: 1,
        name: null,
        createdBy: actorId,
        createdAt: 1,
      }),
    );
    const deleted = await overtaken(
      `SELECT * FROM "assets" FOR SHARE;
       INSERT INTO "attachments" ("assetId", "topicId", "messageId") VALUES ('asset_1', 1, 'msg_1')`,
      () => here.transact(() => deleteUnusedAsset.run({ assetId: 'asset_1' })),
    );
    expect(deleted).toBe(0);
    expect(await here.read(() => findAsset.first({ assetId: 'asset_1' }))).toBeDefined();
  });

  it('that insert the same key decide anew when the other one was first', async () => {
    const decide = (store: PostgresStore) =>
      store.transact(function* () {
        const found = yield* findTopic.first({ name: 'channel:new' });
        if (found) return 'exists';
        yield* insertTopic.run({ name: 'channel:new' });
        return 'created';
      });
    const decided = await Promise.all([decide(here), decide(there), decide(here), decide(there)]);
    expect(decided.sort()).toEqual(['created', 'exists', 'exists', 'exists']);
  });

  it('that lock each other out both get through', async () => {
    const rounds = 4;
    const write = async (store: PostgresStore, order: readonly string[]): Promise<void> => {
      for (let i = 0; i < rounds; i++) {
        await store.transact(function* () {
          for (const name of order) yield* appendEvent(name, 'x');
        });
      }
    };
    const names = ['human:ada', 'human:bob'];
    await Promise.all([write(here, names), write(there, names.toReversed())]);
    for (const name of names) {
      expect((await here.read(() => findTopic.first({ name })))?.head).toBe(2 * rounds);
    }
  });

  it('F-10 with 32 writers each number a topic densely, in the order each writer was answered', async () => {
    await Promise.all(
      Array.from({ length: 64 }, async (_, writer) => {
        const store = writer % 2 === 0 ? here : there;
        let last = 0;
        for (let i = 0; i < 5; i++) {
          const seq = await store.transact(
            () => appendEvent(topic, `${String(writer)}/${String(i)}`),
            {
              lane: topic,
            },
          );
          expect(seq).toBeGreaterThan(last);
          last = seq;
        }
      }),
    );
    const events = await there.read(function* () {
      const topicId = (yield* findTopic.first({ name: topic }))?.id ?? 0;
      return yield* listEventsAfter.all({ topicId, after: 0, limit: 1000 });
    });
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 320 }, (_, i) => i + 1));
    expect(new Set(events.map((event) => event.body)).size).toBe(320);
  });

  it('whose channels mention the same people do not wait for a deadlock to be broken', async () => {
    const { rows: before } = await watcher.query<{ deadlocks: string }>(DEADLOCKS);
    await here.transact(() => insertTopic.run({ name: 'channel:other' }));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const lane = i % 2 === 0 ? topic : 'channel:other';
        const people = i % 3 === 0 ? ['human:ada'] : i % 3 === 1 ? ['human:bob'] : [];
        return here.transact(
          function* () {
            for (const name of [lane, ...people]) yield* appendEvent(name, 'x');
          },
          { lane },
        );
      }),
    );
    await watcher.query('SELECT pg_stat_clear_snapshot()');
    const { rows: after } = await watcher.query<{ deadlocks: string }>(DEADLOCKS);
    expect(after).toEqual(before);
  });
});

const DEADLOCKS = `SELECT "deadlocks" FROM pg_stat_database WHERE datname = current_database()`;
