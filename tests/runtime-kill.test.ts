import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboxItem, Session, SessionEvent, Stamped } from '@stoa/protocol';
import { type Caller, callerOf, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KILLS = Number(process.env['STOA_KILLS'] ?? (process.env['STOA_SOAK'] ? 1_000 : 12));
const SESSIONS = 4;
/** Every call leaves a line, so that one that was made twice is seen. */
const SCRIPT = `
turns:
  - repeat: forever
    steps:
      - say: On it.
      - repeat:
          times: 6
          steps:
            - call:
                - { tool: shell, input: { command: 'echo x >>effects' } }
                - { tool: read_file, input: { path: notes } }
      - say: Done.
`;

describe('a daemon whose agents are at work', () => {
  const home = mkdtempSync(join(tmpdir(), 'stoa-test-'));
  const workspaces: string[] = [];
  let daemon: TestDaemon;
  let owner: Caller;
  const sessions: string[] = [];
  const items: InboxItem[] = [];

  beforeAll(async () => {
    daemon = await startDaemon({ home });
    owner = callerOf(daemon.url, daemon.token);
    await owner.put('/v1/agents/busy', {
      driver: { kind: 'script', script: SCRIPT },
      mode: 'full',
    });
    for (let i = 0; i < SESSIONS; i++) {
      const workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
      workspaces.push(workspace);
      const { json } = await owner.post<Session>('/v1/sessions', { agentId: 'busy', workspace });
      sessions.push(json.sessionId);
    }
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(home, { recursive: true, force: true });
    for (const workspace of workspaces) rmSync(workspace, { recursive: true, force: true });
  });

  async function submitToAll(): Promise<void> {
    for (const sessionId of sessions) {
      const { status, json } = await owner.post<InboxItem>(`/v1/sessions/${sessionId}/inbox`, {
        text: 'go',
      });
      expect(status).toBe(202);
      items.push(json);
    }
  }

  async function eventsOf(sessionId: string): Promise<Stamped<SessionEvent>[]> {
    const all: Stamped<SessionEvent>[] = [];
    for (let after = 0; ; ) {
      const { json } = await owner.get<{ events: Stamped<SessionEvent>[]; head: number }>(
        `/v1/topics/session:${sessionId}/events?limit=200&after=${String(after)}`,
      );
      all.push(...json.events);
      after = json.events.at(-1)?.seq ?? json.head;
      if (after >= json.head) return all;
    }
  }

  it(`R-12 killed ${String(KILLS)} times ends every item once, and makes no call twice by itself`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % 10 === 0) await submitToAll();
      await delay(20 + ((kill * 37) % 180));
      await daemon.kill();
      daemon = await startDaemon({ home });
      owner = callerOf(daemon.url, daemon.token);
    }
    await until(
      'everything has come to its end',
      async () => {
        const { json } = await owner.get<{ sessions: Session[] }>('/v1/sessions');
        return json.sessions.every(({ status }) => status === 'idle');
      },
      { timeoutMs: 240_000 },
    );
    let unknown = 0;
    for (const [index, sessionId] of sessions.entries()) {
      const events = await eventsOf(sessionId);
      const of = (type: string): Stamped<SessionEvent>[] =>
        events.filter((event) => event.type === type);
      const ids = items.filter((item) => item.sessionId === sessionId).map(({ itemId }) => itemId);
      const ends = events.filter(({ type }) =>
        ['delivered', 'dropped', 'dead_lettered'].includes(type),
      );
      expect(ends.map(({ data }) => (data as { itemId: string }).itemId).sort()).toEqual(
        ids.sort(),
      );
      expect(of('completed').length).toBe(ids.length);

      const starts = of('tool_call').map(({ data }) => (data as { callId: string }).callId);
      expect(new Set(starts).size).toBe(starts.length);
      const results = of('tool_result').map(({ data }) => (data as { callId: string }).callId);
      expect(results.sort()).toEqual([...new Set([...results])].sort());
      const shells = of('tool_call').filter(
        ({ data }) => (data as { tool: string }).tool === 'shell',
      ).length;
      const path = join(workspaces[index] ?? '', 'effects');
      const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
      expect(lines).toBeLessThanOrEqual(shells);
      unknown += of('tool_result').filter(
        ({ data }) => (data as { outcome: string }).outcome === 'unknown',
      ).length;
    }
    expect(unknown).toBeGreaterThan(0);
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
  }, 900_000);
});
