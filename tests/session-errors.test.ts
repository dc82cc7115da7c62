import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InboxItem, Session } from '@stoa/protocol';
import { type Caller, call, callerOf, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const nothing = (prefix: string): string => `${prefix}_${'0'.repeat(26)}`;

describe('what is asked of sessions wrongly', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let workspace: string;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
    const home = mkdtempSync(join(tmpdir(), 'stoa-test-'));
    mkdirSync(join(home, 'agents'));
    writeFileSync(join(home, 'agents', 'filed.md'), '---\ndriver: { kind: script }\n---\n');
    daemon = await startDaemon({ home });
    owner = callerOf(daemon.url, daemon.token);
    await owner.put('/v1/agents/asker', {
      driver: {
        kind: 'script',
        script: `turns: [{ steps: [{ call: { tool: ask_user, input: { question: 'Hm?' } } }] }]`,
      },
    });
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(daemon.home, { recursive: true, force: true });
    rmSync(workspace, { recursive: true, force: true });
  });

  it.each([
    ['GET', '/v1/agents/nobody', 'agent_not_found'],
    ['DELETE', '/v1/agents/nobody', 'agent_not_found'],
    ['GET', `/v1/sessions/${nothing('ses')}`, 'session_not_found'],
    ['GET', `/v1/runs/${nothing('run')}`, 'run_not_found'],
    ['POST', `/v1/runs/${nothing('run')}/cancel`, 'run_not_found'],
    ['GET', `/v1/inbox/${nothing('itm')}`, 'item_not_found'],
    ['GET', `/v1/approvals/${nothing('apr')}`, 'approval_not_found'],
    ['GET', `/v1/schedules/${nothing('sch')}`, 'schedule_not_found'],
  ] as const)('%s %s gets 404 %s', async (method, path, code) => {
    const { status, json } = await call(daemon.url, method, path, { token: daemon.token });
    expect(status).toBe(404);
    expect(json).toMatchObject({ code });
  });

  it('a workspace that is no directory, or is the data directory, gets 400 invalid_workspace', async () => {
    for (const place of ['/no/such/place', daemon.home, join(daemon.home, 'assets')]) {
      const { status, json } = await owner.post('/v1/sessions', {
        agentId: 'asker',
        workspace: place,
      });
      expect(status, place).toBe(400);
      expect(json).toMatchObject({ code: 'invalid_workspace' });
    }
  });

  it('an agent of a file is changed there: 409 agent_in_file', async () => {
    const { status, json } = await owner.put('/v1/agents/filed', { driver: { kind: 'script' } });
    expect(status).toBe(409);
    expect(json).toMatchObject({ code: 'agent_in_file' });
  });

  it('a session at work is not refreshed: 409 session_busy', async () => {
    const { json: session } = await owner.post<Session>('/v1/sessions', {
      agentId: 'asker',
      workspace,
    });
    const { json: item } = await owner.post<InboxItem>(`/v1/sessions/${session.sessionId}/inbox`, {
      text: 'go',
    });
    await until('it waits', async () => {
      const { json } = await owner.get<Session>(`/v1/sessions/${session.sessionId}`);
      return json.status === 'waiting';
    });
    const { status, json } = await owner.post(`/v1/sessions/${session.sessionId}/refresh`);
    expect(status).toBe(409);
    expect(json).toMatchObject({ code: 'session_busy' });
    await owner.post(`/v1/runs/${item.runId}/cancel`);
  });
});
