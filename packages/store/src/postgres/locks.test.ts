import { appendEvent, type FreshDatabase, freshDatabase, until } from '@stoa/testkit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteUnusedAsset, findAsset, insertAsset } from '../statements/assets.js';
import { insertChannel, lockChannel } from '../statements/channels.js';
import { deleteErasure, ERASE_CHUNKS, lockErasure } from '../statements/erasures.js';
import { listEventsAfter } from '../statements/events.js';
import { upsertMember } from '../statements/members.js';
import { findTopic, insertTopic } from '../statements/topics.js';
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
        settings: '{}',
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
        settings: '{}',
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

  it('see a channel as it is when they get its lock, not as it was when they asked for it', async () => {
    const opened = await overtaken(
      `SELECT 1 FROM "topics" WHERE "name" = '${topic}' FOR UPDATE;
       DELETE FROM "members" WHERE "memberId" = 'ada';
       UPDATE "channels" SET "archivedAt" = 99, "memberCount" = 7`,
      () => here.transact(() => lockChannel.first({ channelId, actorId })),
    );
    expect(opened).toMatchObject({ archivedAt: 99, memberCount: 7, memberId: null });
  });

  it('do not delete an asset that was attached while they waited for its lock', async () => {
    await here.transact(() =>
      insertAsset.run({
        assetId: 'asset_1',
        digest: 'd',
        mediaType: 'text/plain',
        bytes: 1,
        name: null,
        createdBy: actorId,
        createdAt: 1,
        unusedSince: 1,
      }),
    );
    const deleted = await overtaken(
      `SELECT * FROM "assets" FOR SHARE;
       INSERT INTO "attachments" ("assetId", "topicId", "messageId") VALUES ('asset_1', 1, 'msg_1')`,
      () => here.transact(() => deleteUnusedAsset.changes({ assetId: 'asset_1', before: 9 })),
    );
    expect(deleted).toBe(0);
    expect(await here.read(() => findAsset.first({ assetId: 'asset_1' }))).toBeDefined();
  });

  it('take turns at work of one name, also if it is more than a transaction', async () => {
    let working = 0;
    let most = 0;
    const work = async (store: PostgresStore): Promise<void> => {
      working += 1;
      most = Math.max(most, working);
      await store.read(() => findTopic.first({ name: topic }));
      working -= 1;
    };
    const turns = Array.from({ length: 6 }, (_, i) => (i % 2 ? here : there));
    await Promise.all(turns.map((store) => store.exclusively('asset x', () => work(store))));
    expect(most).toBe(1);
    // Of other names: each waits until another is at it too.
    let meet = (): void => undefined;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const meeting = async (): Promise<void> => {
      working += 1;
      if (working > 1) meet();
      await met;
      working -= 1;
    };
    await Promise.all(turns.map((store, i) => store.exclusively(`asset ${String(i)}`, meeting)));
  });

  it('release the lock after work that failed', async () => {
    const failed = here.exclusively('asset y', () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    expect(await there.exclusively('asset y', () => Promise.resolve('done'))).toBe('done');
  });

  it('keep the mark of an erasure while rows are left, regardless of who deleted the others', async () => {
    await watcher.query(
      `INSERT INTO "erasures" VALUES (7);
       INSERT INTO "readCursors" SELECT 'h' || i, 7, 1 FROM generate_series(1, 3) AS i`,
    );
    const both = await Promise.all(
      [here, there].map((store) =>
        store.transact(function* () {
          yield* lockErasure.first({ topicId: 7 });
          let erased = 0;
          for (const chunk of ERASE_CHUNKS)
            erased += yield* chunk.changes({ topicId: 7, limit: 1 });
          return erased;
        }),
      ),
    );
    expect(both).toEqual([1, 1]);
    expect(await here.transact(() => deleteErasure.changes({ topicId: 7 }))).toBe(0);
    await watcher.query(`DELETE FROM "readCursors"`);
    expect(await here.transact(() => deleteErasure.changes({ topicId: 7 }))).toBe(1);
  });

  it.each([1, 3])(
    'that insert the same key decide again if the other one was first, also in a group of %i',
    async (members) => {
      const decided = await overtaken(`INSERT INTO "topics" ("name") VALUES ('channel:new')`, () =>
        Promise.all(
          Array.from({ length: members }, () =>
            here.transact(
              function* () {
                if (yield* findTopic.first({ name: 'channel:new' })) return 'exists';
                yield* insertTopic.run({ name: 'channel:new' });
                return 'created';
              },
              { lane: 'channel:new' },
            ),
          ),
        ),
      );
      expect(decided).toEqual(Array.from({ length: members }, () => 'exists'));
    },
  );

  it('both succeed after a deadlock', async () => {
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

  it('whose channels mention the same people never deadlock', async () => {
    const lanes = [topic, 'channel:other'];
    const people = ['human:ada', 'human:bob'];
    await here.transact(() => insertTopic.run({ name: 'channel:other' }));
    let runs = 0;
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const lane = lanes[i % 2] as string;
        // Each lane mentions them in turn, and the other lane the other one first.
        const mentioned = people[(i + Math.floor(i / 2)) % 2] as string;
        return here.transact(
          function* () {
            runs += 1;
            yield* appendEvent(lane, 'x');
            yield* appendEvent(mentioned, 'x');
          },
          { lane },
        );
      }),
    );
    // A deadlock would have made somebody run again.
    expect(runs).toBe(60);
  });
});
