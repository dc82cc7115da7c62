import {
  appendEvent,
  type FlakyLink,
  type FreshDatabase,
  freshDatabase,
  openFlakyLink,
  until,
} from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findTopic, insertTopic } from '../statements/topics.js';
import { openPostgresStore, type PostgresStore } from './postgres-store.js';

const topics = ['channel:a', 'channel:b', 'human:c'];

describe('hints about topics', () => {
  let database: FreshDatabase;
  let link: FlakyLink;
  let writer: PostgresStore;
  let reader: PostgresStore;
  const received: string[] = [];
  const passing: PostgresStore[] = [];

  const open = async (url: string, hints = {}): Promise<PostgresStore> => {
    const store = await openPostgresStore({ url, durability: 'full', hints });
    passing.push(store);
    return store;
  };

  beforeAll(async () => {
    database = await freshDatabase();
    link = await openFlakyLink(database.url);
    writer = await openPostgresStore({ url: database.url, durability: 'full' });
    await writer.transact(function* () {
      for (const name of topics) yield* insertTopic.run({ name });
    });
  });
  afterEach(async () => {
    await Promise.all(passing.splice(0).map((store) => store.close()));
    received.length = 0;
  });
  afterAll(async () => {
    await writer.close();
    await link.close();
    await database.drop();
  });

  const receives = (...expected: string[]): Promise<boolean> =>
    until(`received ${expected.join(', ')}, not only ${received.join(', ')}`, () =>
      expected.every((topic) => received.includes(topic)),
    );

  /** Starts to listen and waits for the first hint of all: that anything may have grown. */
  async function listen(): Promise<() => void> {
    reader = await open(link.url);
    const stop = reader.onTopicHint((topic) => received.push(topic));
    await receives('*');
    received.length = 0;
    return stop;
  }

  it('reach other daemons when a transaction that wrote to topics was committed', async () => {
    await listen();
    await writer.transact(function* () {
      yield* appendEvent('channel:a', 'x');
      yield* appendEvent('human:c', 'x');
    });
    await receives('channel:a', 'human:c');
    expect(received).not.toContain('channel:b');
  });

  it('are not sent for rolled back transactions, reads, or own writes', async () => {
    await listen();
    const failing = writer.transact(function* () {
      yield* appendEvent('channel:b', 'x');
      throw new Error('never mind');
    });
    await expect(failing).rejects.toThrow('never mind');
    await writer.read(() => findTopic.first({ name: 'channel:b' }));
    await reader.transact(() => appendEvent('channel:b', 'x'));
    await writer.transact(() => appendEvent('channel:a', 'x'));
    await receives('channel:a');
    expect(received).not.toContain('channel:b');
  });

  it('arrive for very many topics', async () => {
    const names = Array.from({ length: 400 }, (_, i) => `channel:${'n'.repeat(50)}${String(i)}`);
    await writer.transact(function* () {
      for (const name of names) yield* insertTopic.run({ name });
    });
    await listen();
    await writer.transact(function* () {
      for (const name of names) yield* appendEvent(name, 'x');
    });
    await receives(...names);
  });

  it('arrive again after the link was lost, beginning with the hint that any topic may have grown', async () => {
    await listen();
    link.refuse();
    await writer.transact(() => appendEvent('channel:a', 'missed'));
    expect(received).toEqual([]);
    link.restore();
    await receives('*');
    await writer.transact(() => appendEvent('channel:b', 'x'));
    await receives('channel:b');
  });

  it('that could not be sent are sent when the link is back', async () => {
    await listen();
    const through = await open(link.url);
    await through.transact(() => appendEvent('channel:a', 'x'));
    received.length = 0;
    const direct = await open(database.url);
    const directHints: string[] = [];
    direct.onTopicHint((topic) => directHints.push(topic));
    await until('the direct one listens', () => directHints.includes('*'));
    const cut = link.cutAt('pg_notify', 'lose');
    await through.transact(() => appendEvent('channel:b', 'x'));
    await cut;
    await until('the hint has come', () => directHints.includes('channel:b'));
  });

  it('regularly include the hint that any topic may have grown', async () => {
    const sweeping = await open(database.url, { sweepMs: 20 });
    sweeping.onTopicHint((topic) => received.push(topic));
    await until(
      'three of them have come',
      () => received.filter((topic) => topic === '*').length > 3,
    );
  });

  it('end when the listener unsubscribes', async () => {
    const stop = await listen();
    const others: string[] = [];
    reader.onTopicHint((topic) => others.push(topic));
    stop();
    await writer.transact(() => appendEvent('channel:a', 'x'));
    await until('another listener has received it', () => others.includes('channel:a'));
    expect(received).toEqual([]);
  });

  it('are still sent by a store that closes immediately', async () => {
    await listen();
    const brief = await open(database.url);
    await brief.transact(() => appendEvent('channel:b', 'x'));
    await brief.close();
    await receives('channel:b');
  });
});
