import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InboxItem, Problem, Session } from '@stoa/protocol';
import { type Caller, call, callerOf, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const nothing = (prefix: string): string => `${prefix}_${'0'.repeat(26)}`;

const SAYING = { driver: { kind: 'script', script: 'otherwise: [{ say: a }]' } };

describe('what is asked of sessions wrongly', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let workspace: string;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
    const home = mkdtempSync(join(tmpdir(), 'stoa-test-'));
    mkdirSync(join(home, 'agents'));
    writeFileSync(
      join(home, 'agents', 'filed.md'),
      '---\ndriver: { kind: script, file: a.yaml }\n---\n',
    );
    const config = 'providers: { mine: { kind: openai, baseUrl: http://127.0.0.1:1 } }\n';
    daemon = await startDaemon({ home, config });
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
    for (const workspace of ['/no/such/directory', daemon.home, join(daemon.home, 'assets')]) {
      const { status, json } = await owner.post('/v1/sessions', {
        agentId: 'asker',
        workspace,
      });
      expect(status, workspace).toBe(400);
      expect(json).toMatchObject({ code: 'invalid_workspace' });
    }
  });

  it('an agent of a file is changed there: 409 agent_in_file', async () => {
    const driver = { kind: 'script', file: 'a.yaml' };
    const { status, json } = await owner.put('/v1/agents/filed', { driver });
    expect(status).toBe(409);
    expect(json).toMatchObject({ code: 'agent_in_file' });
  });

  it('an agent that is only to be made replaces none: 409 agent_exists', async () => {
    const taken = await owner.put('/v1/agents/asker?existing=refuse', SAYING);
    expect([taken.status, taken.json]).toEqual([
      409,
      expect.objectContaining({ code: 'agent_exists', detail: 'There is already an agent asker' }),
    ]);
    const made = await owner.put('/v1/agents/repeated?existing=refuse', SAYING);
    expect(made.status, made.text).toBe(200);
  });

  it.each([
    ['a driver', { driver: { kind: 'magic' } }, 'unknown_driver', 'builtin, acp, script'],
    ['a provider', { driver: { kind: 'builtin', provider: 'x' } }, 'unknown_model', 'mine'],
    ['a tool', { ...SAYING, tools: { only: ['fly'] } }, 'unknown_tool', 'read_file'],
    [
      'a tool of no server of its own',
      { ...SAYING, tools: { without: ['mcp__a__b'] }, mcpServers: { c: { command: 'true' } } },
      'unknown_tool',
      'mcp__c__…',
    ],
  ])(
    'an agent that names an unknown %s is refused, with a list of existing ones',
    async (...row) => {
      const [, definition, code, there] = row;
      const { status, json } = await owner.put<Problem>('/v1/agents/unsound', definition);
      expect(status).toBe(400);
      expect(json.code).toBe(code);
      expect(json.detail).toContain(there);
      expect((await owner.get('/v1/agents/unsound')).status).toBe(404);
    },
  );

  it.each([
    ['a script that cannot be played', 'script: "turns: 5"', 'script:1: turns: '],
    ['no script at all', '', 'driver: one of file and script is needed'],
    ['a script file that is not there', 'file: no.yaml', 'no.yaml cannot be read (ENOENT)'],
    ['a script file that is broken', 'file: bad.yaml', 'bad.yaml:1: otherwise: '],
  ])('an agent with %s is broken from the start', async (_, fields, problem) => {
    const driver = `{ kind: script, ${fields} }`;
    writeFileSync(join(workspace, 'bad.yaml'), 'otherwise: 5');
    mkdirSync(join(workspace, '.stoa', 'agents'), { recursive: true });
    const file = join(workspace, '.stoa', 'agents', 'unplayable.md');
    writeFileSync(file, `---\ndriver: ${driver}\n---\n`);
    const made = await owner.post<Problem>('/v1/sessions', { agentId: 'unplayable', workspace });
    expect(made.json).toMatchObject({ status: 400, code: 'agent_broken' });
    expect(made.json.detail).toContain(problem);
    rmSync(file);
  });

  it.each([
    ['a script', { driver: { kind: 'script', script: 'turns: 5' } }, 'script:1: turns: '],
    ['a program', { driver: { kind: 'acp' } }, 'one of preset and command is needed'],
    ['a rule', { ...SAYING, permissions: { deny: ['shell'] } }, 'permissions: shell: a rule is'],
  ])('%s that cannot be used gets 400 invalid_agent', async (_, definition, problem) => {
    const { status, json } = await owner.put<Problem>('/v1/agents/unsound', definition);
    expect(status).toBe(400);
    expect(json.code).toBe('invalid_agent');
    expect(json.detail).toContain(problem);
  });

  it('an agent may name tools of its MCP servers, and one that is switched off', async () => {
    const { status, text } = await owner.put('/v1/agents/sound', {
      ...SAYING,
      tools: { only: ['mcp__c__d'], without: ['web_fetch'] },
      mcpServers: { c: { command: 'true' } },
    });
    expect(status, text).toBe(200);
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
