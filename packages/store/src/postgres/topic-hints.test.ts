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
  const heard: string[] = [];
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
    heard.length = 0;
  });
  afterAll(async () => {
    await writer.close();
    await link.close();
    await database.drop();
  });

  const hears = (...expected: string[]): Promise<boolean> =>
    until(`heard ${expected.join(', ')}, not only ${heard.join(', ')}`, () =>
      expected.every((topic) => heard.includes(topic)),
    );

  /** Starts to listen and waits for the first hint of all: that anything may have grown. */
  async function listen(): Promise<() => void> {
    reader = await open(link.url);
    const stop = reader.onTopicHint((topic) => heard.push(topic));
    await hears('*');
    heard.length = 0;
    return stop;
  }

  it('reach other daemons when a transaction that wrote to topics was committed', async () => {
    await listen();
    await writer.transact(function* () {
      yield* appendEvent('channel:a', 'x');
      yield* appendEvent('human:c', 'x');
    });
    await hears('channel:a', 'human:c');
    expect(heard).not.toContain('channel:b');
  });

  it('do not come of what was rolled back, was only read, or was written by oneself', async () => {
    await listen();
    const failing = writer.transact(function* () {
      yield* appendEvent('channel:b', 'x');
      throw new Error('never mind');
    });
    await expect(failing).rejects.toThrow('never mind');
    await writer.read(() => findTopic.first({ name: 'channel:b' }));
    await reader.transact(() => appendEvent('channel:b', 'x'));
    await writer.transact(() => appendEvent('channel:a', 'x'));
    await hears('channel:a');
    expect(heard).not.toContain('channel:b');
  });

  it('of very many topics come all the same', async () => {
    const names = Array.from({ length: 400 }, (_, i) => `channel:${'n'.repeat(50)}${String(i)}`);
    await writer.transact(function* () {
      for (const name of names) yield* insertTopic.run({ name });
    });
    await listen();
    await writer.transact(function* () {
      for (const name of names) yield* appendEvent(name, 'x');
    });
    await hears(...names);
  });

  it('come again after the link was lost, beginning with the hint that anything may have grown', async () => {
    await listen();
    link.refuse();
    await writer.transact(() => appendEvent('channel:a', 'unheard'));
    expect(heard).toEqual([]);
    link.restore();
    await hears('*');
    await writer.transact(() => appendEvent('channel:b', 'x'));
    await hears('channel:b');
  });

  it('that could not be sent are sent when the link is back', async () => {
    await listen();
    const through = await open(link.url);
    await through.transact(() => appendEvent('channel:a', 'x'));
    heard.length = 0;
    const direct = await open(database.url);
    const told: string[] = [];
    direct.onTopicHint((topic) => told.push(topic));
    await until('the direct one listens', () => told.includes('*'));
    const cut = link.cutAt('pg_notify', 'lose');
    await through.transact(() => appendEvent('channel:b', 'x'));
    await cut;
    await until('the hint has come', () => told.includes('channel:b'));
  });

  it('include, every now and then, that anything may have grown', async () => {
    const sweeping = await open(database.url, { sweepMs: 20 });
    sweeping.onTopicHint((topic) => heard.push(topic));
    await until('three of them have come', () => heard.filter((topic) => topic === '*').length > 3);
  });

  it('end when the listener does not want them any more', async () => {
    const stop = await listen();
    const others: string[] = [];
    reader.onTopicHint((topic) => others.push(topic));
    stop();
    await writer.transact(() => appendEvent('channel:a', 'x'));
    await until('another listener has heard it', () => others.includes('channel:a'));
    expect(heard).toEqual([]);
  });

  it('of a store that closes at once are still sent', async () => {
    await listen();
    const brief = await open(database.url);
    await brief.transact(() => appendEvent('channel:b', 'x'));
    await brief.close();
    await hears('channel:b');
  });
});
