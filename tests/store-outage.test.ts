import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Session, SessionEvent, Stamped } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  type EmbeddedPostgres,
  freshDatabase,
  startDaemon,
  startEmbeddedPostgres,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scripted, TestChannel } from './test-channel.js';

/** How long the store is away; the acceptance case names 5 s and 60 s. */
const OUTAGE_MS = Number(
  process.env['STOA_OUTAGE_MS'] ?? (process.env['STOA_SOAK'] ? 60_000 : 5_000),
);
const CALLS = 12;
/** Every call leaves a line, so that one that is made twice is seen. */
const SCRIPT = `
turns:
  - repeat: forever
    steps:
      - repeat:
          times: ${String(CALLS)}
          steps:
            - call: { tool: shell, input: { command: 'echo x >>effects; sleep 0.1' } }
      - emit: 'Twelve lines.'
`;

async function eventsOf(owner: Caller, sessionId: string): Promise<Stamped<SessionEvent>[]> {
  const { json } = await owner.get<{ events: Stamped<SessionEvent>[] }>(
    `/v1/topics/session:${sessionId}/events?limit=200&after=0`,
  );
  return json.events;
}

const linesIn = (file: string): number => {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
};

/** The run went on where it was: one attempt, each call once, and the wait is noted once. */
function expectSuspended(events: readonly Stamped<SessionEvent>[]): void {
  const of = (type: string) => events.filter((event) => event.type === type);
  expect(of('failed')).toEqual([]);
  expect(of('resumed')).toEqual([]);
  expect(of('tool_call')).toHaveLength(CALLS);
  const outcomes = of('tool_result').map(({ data }) => (data as { outcome: string }).outcome);
  expect(outcomes).toEqual(Array(CALLS).fill('ok'));
  const notes = of('note').filter(({ data }) => (data as { code: string }).code === 'store_wait');
  expect(notes).toHaveLength(1);
}

const countOf = (text: string, words: string): number => text.split(words).length - 1;

describe('a PostgreSQL that goes away', () => {
  let server: EmbeddedPostgres;
  let daemon: TestDaemon;
  let owner: Caller;
  let workspace: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-outage-')));
    server = await startEmbeddedPostgres({ fsync: false });
    env = { STOA_DATABASE_URL: (await freshDatabase(server.url)).url };
    daemon = await startDaemon({ env });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await server.stop();
    rmSync(workspace, { recursive: true, force: true });
  });

  it(
    'OP-24 suspends a run that is under way; it goes on when the store is back, and its answer is published',
    async () => {
      const effects = join(workspace, 'effects');
      // Its turn would end, and another agent waits for it, if the time without a store counted as silence.
      const policy = { leaseTimeoutMs: OUTAGE_MS / 2, silenceLimitMs: OUTAGE_MS / 2 };
      const testChannel = await TestChannel.open(owner, { channelId: 'outage', policy, workspace });
      const member = await testChannel.invite('worker', scripted(SCRIPT), { mode: 'full' });
      await testChannel.invite('rival', scripted('otherwise: [{ emit: "Me too" }]\nturns: []'));
      await testChannel.post('@worker work please');
      await until('it is at work', () => linesIn(effects) >= 3);
      await server.down();
      const refused = await owner.post(`${testChannel.path}/messages`, { text: 'anybody there?' });
      expect(refused.json).toMatchObject({ code: 'storage_unavailable' });
      await delay(OUTAGE_MS);
      const before = linesIn(effects);
      expect(before).toBeLessThan(CALLS);
      await server.up();
      await until('the answer is published', async () =>
        (await testChannel.read()).includes('worker: Twelve lines.'),
      );
      expect(linesIn(effects)).toBe(CALLS);
      const sessionId = member.actorId.slice('session:'.length);
      expectSuspended(await eventsOf(owner, sessionId));
      expect(await testChannel.outcomes()).toEqual([['worker', 'spoke']]);
      const { stderr, stdout } = daemon.output();
      expect(countOf(stderr + stdout, 'runs are suspended')).toBe(1);
      expect(countOf(stderr + stdout, 'suspended runs go on')).toBe(1);
    },
    OUTAGE_MS + 60_000,
  );

  it('OP-26 a daemon that is killed and started again at once goes on with its runs within 2 s of the kill', async () => {
    const effects = join(workspace, 'effects');
    rmSync(effects, { force: true });
    await owner.put('/v1/agents/worker', { driver: scripted(SCRIPT), mode: 'full' });
    const { json } = await owner.post<Session>('/v1/sessions', { agentId: 'worker', workspace });
    await owner.post(`/v1/sessions/${json.sessionId}/inbox`, { text: 'go' });
    await until('it is at work', () => linesIn(effects) >= 3);
    const killedAt = Date.now();
    await daemon.kill();
    daemon = await startDaemon({ env, home: daemon.home });
    owner = callerOf(daemon.url, daemon.token);
    const resumed = await until('it goes on', async () =>
      (await eventsOf(owner, json.sessionId)).find(({ type }) => type === 'resumed'),
    );
    expect(resumed.at - killedAt).toBeLessThan(2_000);
    await until('it has ended', async () =>
      (await eventsOf(owner, json.sessionId)).some(({ type }) => type === 'completed'),
    );
  });
});
