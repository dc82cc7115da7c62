import {
  appendEvent,
  type FlakyLink,
  type FreshDatabase,
  freshDatabase,
  openFlakyLink,
  until,
} from '@stoa/testkit';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { statement } from '../sql/statement.js';
import { together } from '../sql/together.js';
import { findTopic, insertTopic } from '../statements/topics.js';
import { openPostgresStore, type PostgresStore } from './postgres-store.js';

const unavailable = { code: 'storage_unavailable' };
/** As it is sent; without its end it would also be found in READ COMMITTED. */
const COMMIT = 'COMMIT\0';
/** Found in the statement that inserts an event. */
const BODY = 'the body';
const rest = statement<object>('SELECT pg_sleep(0.3)');
const endOwnBackend = statement<object>('SELECT pg_terminate_backend(pg_backend_pid())');

describe('when the connection to PostgreSQL is lost', () => {
  let database: FreshDatabase;
  let link: FlakyLink;
  let store: PostgresStore;
  let topics = 0;
  let topic: string;

  beforeAll(async () => {
    database = await freshDatabase();
    link = await openFlakyLink(database.url);
    // However slow the machine: what is sent together here is one group.
    const group = { members: 100, milliseconds: 60_000 };
    store = await openPostgresStore({ url: link.url, durability: 'full', group });
  });
  afterAll(async () => {
    await store.close();
    await link.close();
    await database.drop();
  });
  beforeEach(async () => {
    topics += 1;
    topic = `channel:${String(topics)}`;
    await store.transact(() => insertTopic.run({ name: topic }));
  });
  afterEach(() => {
    link.restore();
  });

  const head = async (): Promise<number | undefined> =>
    (await store.read(() => findTopic.first({ name: topic })))?.head;

  const append = (lane?: string): Promise<number> =>
    store.transact(() => appendEvent(topic, BODY), lane === undefined ? {} : { lane });

  it('before the commit was sent, the transaction is run again and answered once', async () => {
    const cut = link.cutAt(BODY, 'deliver');
    expect(await append()).toBe(1);
    await cut;
    expect(await head()).toBe(1);
  });

  it('before the commit of a group was sent, every member is run again and answered once', async () => {
    const cut = link.cutAt(BODY, 'deliver');
    const seqs = await Promise.all(Array.from({ length: 8 }, () => append(topic)));
    await cut;
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await head()).toBe(8);
  });

  it.each([
    { fate: 'kept', how: 'deliver', after: 1 },
    { fate: 'lost', how: 'lose', after: 0 },
  ] as const)(
    'during a commit that was $fate, the transaction fails as unavailable and is not run again',
    async ({ how, after }) => {
      let runs = 0;
      let notified = 0;
      const cut = link.cutAt(COMMIT, how);
      const writing = store.transact(
        function* () {
          runs += 1;
          return yield* appendEvent(topic, 'x');
        },
        { afterCommit: () => (notified += 1) },
      );
      await expect(writing).rejects.toMatchObject(unavailable);
      await expect(writing).rejects.toThrow('whether it was committed is not known');
      await cut;
      expect({ runs, notified }).toEqual({ runs: 1, notified: 0 });
      await until('the server has finished the commit', async () => (await head()) === after);
    },
  );

  it('during the commit of a group, each member fails as unavailable, except those with a failure of their own', async () => {
    const cut = link.cutAt(COMMIT, 'deliver');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        store.transact(
          function* () {
            yield* appendEvent(topic, 'x');
            if (i === 3) throw new Error('by itself');
          },
          { lane: topic },
        ),
      ),
    );
    await cut;
    const reasons = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason as Error);
    expect(reasons[3]?.message).toBe('by itself');
    for (const reason of reasons.toSpliced(3, 1)) expect(reason).toMatchObject(unavailable);
    await until('the server has finished the commit', async () => (await head()) === 5);
  });

  it('while a read is under way, the read is run again', async () => {
    const cut = link.cutAt(topic, 'lose');
    expect(await head()).toBe(0);
    await cut;
  });

  it('by a transaction that ends its own backend, that one fails and the rest of its group succeeds', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, i) =>
        store.transact(
          function* () {
            if (i === 2) yield* endOwnBackend.run({});
            return yield* appendEvent(topic, String(i));
          },
          { lane: topic },
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(outcomes[2]).toMatchObject({ reason: unavailable });
    expect(await head()).toBe(4);
  });

  it('and cannot be restored, everything fails as unavailable until it can', async () => {
    link.refuse();
    const outcomes = await Promise.allSettled([
      append(),
      head(),
      store.integrityProblems(),
      store.backupTo('/nowhere/copy.db'),
      ...Array.from({ length: 4 }, () => append(topic)),
    ]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: unavailable });
    link.restore();
    expect(await append()).toBe(1);
  });

  it('silently, everything fails as unavailable in time, and works again afterwards', async () => {
    const impatient = await openPostgresStore({
      url: link.url,
      durability: 'full',
      answerMs: 200,
      connections: 1,
    });
    try {
      const find = () => impatient.read(() => findTopic.first({ name: topic }));
      // On a busy machine a new connection may take longer than this store waits.
      const isFound = () => find().then(Boolean, () => false);
      await until('the store answers', isFound);
      link.hush();
      await expect(find()).rejects.toMatchObject(unavailable);
      link.restore();
      await until('the store answers again', isFound);

      link.hush();
      const group = Array.from({ length: 5 }, () =>
        impatient.transact(() => appendEvent(topic, BODY), { lane: topic }),
      );
      for (const { status } of await Promise.allSettled(group)) expect(status).toBe('rejected');
      link.restore();
      expect(await head()).toBe(0);
    } finally {
      link.restore();
      await impatient.close();
    }
  });

  it('a server that answers slowly does not count as lost', async () => {
    const patient = await openPostgresStore({ url: link.url, durability: 'full', answerMs: 900 });
    try {
      await patient.transact(function* () {
        for (let i = 0; i < 4; i++) yield* rest.run({});
        yield* together(...Array.from({ length: 4 }, () => rest.first({})));
      });
    } finally {
      await patient.close();
    }
  });

  it('while it was idle, nobody notices', async () => {
    await Promise.all([append(), append()]);
    const admin = new pg.Client(database.url);
    await admin.connect();
    try {
      const connected = await connections(admin);
      link.cut();
      await until('the server has given up every one of them', async () => {
        const still = await connections(admin);
        return connected.every((pid) => !still.includes(pid));
      });
    } finally {
      await admin.end();
    }
    expect(await append()).toBe(3);
  });
});

async function connections(admin: pg.Client): Promise<number[]> {
  const { rows } = await admin.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}

describe('opening a store', () => {
  it('fails as unavailable when there is no server, and does not reveal the password', async () => {
    const opening = openPostgresStore({
      url: 'postgres://ada:secret@127.0.0.1:1/stoa',
      durability: 'full',
    });
    await expect(opening).rejects.toMatchObject(unavailable);
    await expect(opening).rejects.toThrow('ECONNREFUSED');
    await expect(opening).rejects.not.toThrow('secret');
  });

  it('fails as unavailable when the server does not know the database', async () => {
    const database = await freshDatabase();
    await database.drop();
    const opening = openPostgresStore({ url: database.url, durability: 'full' });
    await expect(opening).rejects.toMatchObject(unavailable);
    await expect(opening).rejects.toThrow('does not exist');
  });
});
