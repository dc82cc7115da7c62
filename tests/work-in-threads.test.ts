import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lease } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FAKE_AGENT,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Room, scripted } from './room.js';

describe('work in threads', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let workspace: string;
  let rooms = 0;

  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-work-')));
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(workspace, { recursive: true, force: true });
  });

  const newRoom = (policy: object = {}): Promise<Room> => {
    rooms += 1;
    return Room.open(owner, { channelId: `work-${String(rooms)}`, policy, workspace });
  };
  const rival = scripted('otherwise: [{ emit: "I was next" }]\nturns: []');

  it('AC-18 the lease of a run that is at work is renewed, although another agent waits', async () => {
    const room = await newRoom({
      leaseTimeoutMs: 1_500,
      silenceLimitMs: 2_000,
      memberCooldownMs: 0,
    });
    const program = { kind: 'acp', command: [process.execPath, FAKE_AGENT] };
    await room.invite(`thinker-${String(rooms)}`, program);
    await room.invite(`z-next-${String(rooms)}`, rival);
    const { messageId } = await room.post('!think 5000\n!say Thought through');
    await until('it answers', async () =>
      (await room.read()).some((line) => /^thinker.*: Thought/.test(line)),
    );
    const renewals = (await room.decisions(messageId)).flatMap(({ renewed }) => renewed);
    expect(renewals.length).toBeGreaterThan(1);
    const [first] = await room.outcomes(messageId);
    expect(first).toEqual([`thinker-${String(rooms)}`, 'spoke']);
  });

  it('AC-18 a tool that runs keeps the turn of its run', async () => {
    const room = await newRoom({
      leaseTimeoutMs: 1_500,
      silenceLimitMs: 1_500,
      memberCooldownMs: 0,
    });
    const script = `turns:
  - steps:
      - call: { tool: shell, input: { command: 'timeout 4 tail -f /dev/null; true' } }
      - emit: Slept well.`;
    await room.invite(`sleeper-${String(rooms)}`, scripted(script), { mode: 'full' });
    await room.invite(`z-next-${String(rooms)}`, rival);
    const { messageId } = await room.post('anybody?');
    await until('it answers', async () => (await room.read()).some((line) => /Slept/.test(line)));
    const [first] = await room.outcomes(messageId);
    expect(first).toEqual([`sleeper-${String(rooms)}`, 'spoke']);
  });

  it.each([
    { limit: 'silenceLimitMs', outcome: 'timeout', others: 0 },
    { limit: 'leaseTimeoutMs', outcome: 'superseded', others: 1 },
  ] as const)(
    'DU-29 a run that is silent ends after $limit, whatever the time to start it',
    async ({ limit, outcome, others }) => {
      const room = await newRoom({ [limit]: 1_500 });
      const silent = scripted('turns: [{ steps: [{ wait: 30000 }, { emit: "Late" }] }]');
      await room.invite(`silent-${String(rooms)}`, silent);
      for (let i = 0; i < others; i++) await room.invite(`z-next-${String(rooms)}`, rival);
      const { messageId } = await room.post('anybody?');
      const lease = await until('its turn is over', async () => {
        const { json } = await owner.get<{ leases: Lease[] }>(`${room.path}/leases?state=all`);
        return json.leases.find(
          ({ endedAt, memberId }) => endedAt && memberId.startsWith('silent'),
        );
      });
      expect(lease.outcome).toBe(outcome);
      const tookMs = (lease.endedAt ?? 0) - lease.grantedAt;
      expect(tookMs).toBeGreaterThanOrEqual(1_500);
      expect(tookMs).toBeLessThan(1_750 + START_MS);
      expect(await room.decisions(messageId)).not.toEqual([]);
    },
  );
});

/** How long a run may take to begin on a busy machine; its silence is counted from there. */
const START_MS = 500;
