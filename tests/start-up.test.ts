import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateStimulus, type Lease, type Session } from '@stoa/protocol';
import { type BoundStatement, oneByOne, openSqliteStore, type Store, type Tx } from '@stoa/store';
import {
  callerOf,
  fillChannels,
  OWNER,
  RuntimeWorld,
  type StoreEngine,
  startDaemon,
  type TestDatabase,
  until,
  withDatabaseFile,
} from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const SOAK = process.env['STOA_SOAK'] === '1';
const LEASES = 50;
const STIMULI = 500;
const FAR_AHEAD_MS = 86_400_000;

/** One that waits for its time. */
const stimulus = (i: number) => ({
  kind: 'agent_idea' as const,
  scope: 'channel' as const,
  content: `idea ${String(i)}`,
  availableAt: Date.now() + FAR_AHEAD_MS,
});
const POLICY = { maxPendingStimuli: STIMULI };

/** What was asked of a store, and how many rows came. */
class Reads {
  readonly texts = new Set<BoundStatement['text']>();
  rows = 0;

  watch(store: Store): Store {
    const watched =
      <T>(body: () => Tx<T>): (() => Tx<T>) =>
      () =>
        this.#watched(body);
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'transact') {
          const transact: Store['transact'] = (body, options) =>
            target.transact(watched(body), options);
          return transact;
        }
        if (name === 'read') return <T>(body: () => Tx<T>) => target.read(watched(body));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  *#watched<T>(body: () => Tx<T>): Tx<T> {
    const tx = oneByOne(body());
    for (let step = tx.next(); ; ) {
      if (step.done) return step.value;
      const answer = yield step.value;
      this.texts.add(step.value.text);
      this.rows += Array.isArray(answer) ? answer.length : Number(answer !== undefined);
      step = tx.next(answer);
    }
  }
}

/** Daemons on one file, whose reads are watched. */
class WatchedDatabase implements StoreEngine {
  readonly name = 'sqlite';
  readonly home = mkdtempSync(join(tmpdir(), 'stoa-start-'));
  reads = new Reads();

  newDatabase(): Promise<TestDatabase> {
    return Promise.resolve({
      open: () => {
        const store = openSqliteStore(join(this.home, 'stoa.db'), { durability: 'relaxed' });
        return Promise.resolve(this.reads.watch(store));
      },
      discard: () => {
        rmSync(this.home, { recursive: true, force: true });
        return Promise.resolve();
      },
    });
  }

  /** Tables that what was asked walks through from end to end. */
  scanned(): string[] {
    return withDatabaseFile(this.home, (db) =>
      [...this.reads.texts].flatMap(({ sqlite, sqliteNames }) =>
        db
          .prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${sqlite}`)
          .all(...sqliteNames.map(() => null))
          .flatMap(({ detail }) => (detail.startsWith('SCAN') ? [`${detail}: ${sqlite}`] : [])),
      ),
    );
  }
}

const WAITING = 50;

/** Fifty agents have the turn, each in a thread of its own, and fifty stimuli wait, when the daemon dies and another begins. */
async function beginAgain(messagesEach: number): Promise<{ rows: number; scanned: string[] }> {
  const database = new WatchedDatabase();
  const world = await RuntimeWorld.open(database);
  try {
    const before = await world.start();
    const { core, driver } = before;
    for (let i = 0; i < 5; i++) {
      await core.channels.create(OWNER, { channelId: `old-${String(i)}`, title: 'Old' });
    }
    withDatabaseFile(database.home, (db) => {
      fillChannels(db, messagesEach);
    });
    await core.channels.create(OWNER, {
      channelId: 'team',
      title: 'Team',
      autonomyPolicy: POLICY,
    });
    for (let i = 0; i < WAITING; i++) {
      const waiting = CreateStimulus.parse(stimulus(i));
      await core.stimuli.create(OWNER, 'team', waiting);
    }
    for (let i = 0; i < LEASES; i++) {
      const { sessionId } = await core.sessions.create(OWNER, { agentId: 'helper' });
      await core.channels.upsertMember(OWNER, 'team', { actorId: `session:${sessionId}` });
    }
    for (let i = 0; i < LEASES; i++) await core.channels.post(OWNER, 'team', { text: 'hello' });
    await driver.nth(LEASES);
    expect(await core.checkIntegrity()).toMatchObject({ ok: true });
    await before.abandon();

    database.reads = new Reads();
    const again = await world.start();
    await again.core.turnClock.poll();
    await again.driver.nth(LEASES);
    return { rows: database.reads.rows, scanned: database.scanned() };
  } finally {
    await world.discard();
  }
}

/** From starting the program to its first answer, in the middle of a few. */
async function startTime(home: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    const daemon = await startDaemon({ home, checkAtEnd: false });
    expect((await callerOf(daemon.url, daemon.token).get('/v1/whoami')).status).toBe(200);
    times.push(performance.now() - started);
    await daemon.kill();
  }
  return times.sort((a, b) => a - b)[2] as number;
}

const WAITS = 'otherwise: [{ wait: 86400000 }]';

/** A home with so many messages, stimuli that wait, and fifty agents that have the turn and take their time. */
async function homeWith(channels: number, messagesEach: number): Promise<string> {
  const empty = await startDaemon({ checkAtEnd: false });
  const { home } = empty;
  const maker = callerOf(empty.url, empty.token);
  for (let i = 0; i < channels; i++) {
    const answer = await maker.post('/v1/channels', {
      channelId: `old-${String(i)}`,
      title: 'Old',
    });
    expect(answer.status).toBe(201);
  }
  // A daemon that still indexes what was made would hold the file.
  await empty.kill();
  withDatabaseFile(home, (db) => {
    fillChannels(db, messagesEach);
  });
  const daemon = await startDaemon({ home, checkAtEnd: false });
  const owner = callerOf(daemon.url, daemon.token);
  expect(
    (await owner.put('/v1/agents/asking', { driver: { kind: 'script', script: WAITS } })).status,
  ).toBe(200);
  await owner.post('/v1/channels', { channelId: 'team', title: 'Team', autonomyPolicy: POLICY });
  for (let i = 0; i < STIMULI; i++) {
    const { status } = await owner.post('/v1/channels/team/stimuli', stimulus(i));
    expect(status).toBe(201);
  }
  for (let i = 0; i < LEASES; i++) {
    const { json } = await owner.post<Session>('/v1/sessions', { agentId: 'asking' });
    const actorId = `session:${json.sessionId}`;
    expect((await owner.post('/v1/channels/team/members', { actorId })).status).toBe(200);
  }
  for (let i = 0; i < LEASES; i++)
    await owner.post('/v1/channels/team/messages', { text: 'hello' });
  await until('all of them are at it', async () => {
    const { json } = await owner.get<{ leases: Lease[] }>('/v1/channels/team/leases?limit=200');
    return json.leases.filter(({ phase }) => phase === 'running').length === LEASES || undefined;
  });
  await daemon.kill();
  return home;
}

describe('start-up', () => {
  it('C-49 reads as much of a long history as of a short one: nothing', async () => {
    const short = await beginAgain(10);
    const long = await beginAgain(2_000);
    expect(long.rows).toBe(short.rows);
    expect(long.scanned.filter((line) => /SCAN (events|messages|[em])\b/.test(line))).toEqual([]);
  });

  if (!SOAK) return;

  it('C-49 takes no longer with 1,000,000 messages in 1,000 channels than with 10,000 in ten', {
    timeout: 900_000,
  }, async () => {
    const homes = [await homeWith(10, 1_000), await homeWith(1_000, 1_000)] as const;
    try {
      const [few, many] = [await startTime(homes[0]), await startTime(homes[1])];
      const took = `${few.toFixed(0)} ms with 10,000 messages, ${many.toFixed(0)} ms with 1,000,000`;
      console.log(`C-49: ${took}`);
      expect(many / few, took).toBeLessThanOrEqual(1.5);
    } finally {
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    }
  });
});
