import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent, Approval, InboxItem, Run, Session, StreamFrame } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  endedRun,
  LiveSocket,
  newPerson,
  startDaemon,
  submit as submitTo,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('sessions over HTTP', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let workspace: string;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(workspace, { recursive: true, force: true });
  });

  const define = async (agentId: string, script: string, more: object = {}): Promise<void> => {
    const body = { driver: { kind: 'script', script }, ...more };
    const { status, text } = await owner.put(`/v1/agents/${agentId}`, body);
    expect(status, text).toBe(200);
  };
  const open = async (agentId: string): Promise<Session> => {
    const { status, json, text } = await owner.post<Session>('/v1/sessions', {
      agentId,
      workspace,
    });
    expect(status, text).toBe(201);
    return json;
  };
  const submit = (sessionId: string, text = 'go') => submitTo(owner, sessionId, text);
  const run = async (runId: string): Promise<Run> =>
    (await owner.get<Run>(`/v1/runs/${runId}`)).json;
  const ended = (runId: string) => endedRun(owner, runId);
  const asked = (): Promise<Approval> =>
    until('something is asked', async () => {
      const { json } = await owner.get<{ approvals: Approval[] }>('/v1/approvals?state=pending');
      return json.approvals[0];
    });

  it('R-7 a run is followed live, and who joins late gets the text so far', async () => {
    await define(
      'talker',
      `turns: [{ steps: [{ say: { text: 'one two three four five six seven eight', everyMs: 60 } }, { call: { tool: ask_user, input: { question: 'Go on?' } } }, { say: 'the end' }] }]`,
    );
    const { sessionId } = await open('talker');
    const topic = `session:${sessionId}`;
    const early = await LiveSocket.open(daemon.url, daemon);
    await early.subscribe(topic, 0);
    const { runId } = await submit(sessionId);
    const chunks = (socket: LiveSocket): Extract<StreamFrame, { type: 'text_chunk' }>[] =>
      socket.frames.flatMap((frame) => (frame.type === 'text_chunk' ? [frame] : []));
    await until('something is being written', () => chunks(early).length > 1);
    const late = await LiveSocket.open(daemon.url, daemon);
    await late.subscribe(topic);
    const [first] = await until('late subscribers receive it', () =>
      chunks(late).length > 0 ? chunks(late) : undefined,
    );
    expect(first).toMatchObject({ runId, step: 0, offset: 0 });
    expect(first?.text).toMatch(/^one /);
    await late.close();
    const question = await asked();
    expect(question).toMatchObject({ kind: 'question', sessionId, runId });
    expect(
      chunks(early)
        .map(({ text }) => text)
        .join(''),
    ).toContain('one two three four five six seven eight');
    await owner.post(`/v1/approvals/${question.approvalId}/answer`, {
      decision: 'answer',
      answer: 'yes',
    });
    const done = await ended(runId);
    expect(done).toMatchObject({
      status: 'completed',
      output: [{ type: 'text', text: 'the end' }],
    });
    await until('the end arrives', () => early.events().some(({ type }) => type === 'completed'));
    expect(early.events().map(({ type }) => type)).toEqual([
      'session_created',
      'accepted',
      'queued',
      'started',
      'delivered',
      'model_message',
      'model_message',
      'waiting_approval',
      'approval_settled',
      'tool_call',
      'tool_result',
      'model_message',
      'publishing',
      'completed',
    ]);
    await early.close();
  });

  it('R-19 R-20 a command is asked about with its arguments, and what was approved runs', async () => {
    await define(
      'worker',
      `turns: [{ repeat: forever, steps: [{ call: { tool: shell, input: { command: 'echo asked' }, as: out } }, { say: '\${results.out}' }] }]`,
    );
    const { sessionId } = await open('worker');
    const { runId } = await submit(sessionId);
    const approval = await asked();
    expect(approval).toMatchObject({ tool: 'shell', input: { command: 'echo asked' } });
    expect((await run(runId)).status).toBe('waiting_approval');
    const changed = { command: 'echo changed' };
    const answer = { decision: 'allow', updatedInput: changed, inputHash: approval.inputHash };
    const { status } = await owner.post(`/v1/approvals/${approval.approvalId}/answer`, answer);
    expect(status).toBe(200);
    const late = await owner.post(`/v1/approvals/${approval.approvalId}/answer`, answer);
    expect(late.status).toBe(409);
    expect(late.json).toMatchObject({ code: 'approval_settled' });
    const done = await ended(runId);
    expect(JSON.stringify(done.output)).toContain('changed');
    expect(JSON.stringify(done.output)).not.toContain('asked');
  });

  it('R-4 a run that waits for an approval is cancelled, and the question withdrawn', async () => {
    const { sessionId } = await open('worker');
    const { runId } = await submit(sessionId);
    const { approvalId } = await asked();
    const { json } = await owner.post(`/v1/runs/${runId}/cancel`);
    expect(json).toMatchObject({
      cancelled: true,
      run: { status: 'cancelled', cancelReason: 'cancel_command' },
    });
    const { json: approval } = await owner.get<Approval>(`/v1/approvals/${approvalId}`);
    expect(approval.state).toBe('withdrawn');
    expect((await owner.post(`/v1/runs/${runId}/cancel`)).json).toMatchObject({
      cancelled: false,
    });
  });

  it('R-15 without a model a session says so and what to set, and the daemon runs', async () => {
    const { sessionId } = await open('stoa');
    const { runId } = await submit(sessionId);
    const { failure } = await ended(runId);
    expect(failure).toMatchObject({ code: 'no_model' });
    expect(failure?.message).toContain('OPENAI_API_KEY');
    // It can be known before: its definition is sound, and the list says what is missing.
    const { json: agent } = await owner.get<Agent>('/v1/agents/stoa');
    expect(agent).toMatchObject({ status: 'ready', lacks: failure?.message });
    expect((await owner.get<Agent>('/v1/agents/guide')).json).not.toHaveProperty('lacks');
    expect((await owner.get('/v1/status')).status).toBe(200);
  });

  it('R-38 a nickname is shown wherever the agent is', async () => {
    const { sessionId, agentName } = await open('worker');
    expect(agentName).toBe('worker');
    await owner.put('/v1/agents/worker/nickname', { nickname: 'Bee' });
    expect((await owner.get<Agent>('/v1/agents/worker')).json.name).toBe('Bee');
    const named = (await owner.get<Session>(`/v1/sessions/${sessionId}`)).json;
    expect(named).toMatchObject({ agentName: 'Bee', identity: { displayName: 'Bee' } });
    await owner.put('/v1/agents/worker/nickname', { nickname: null });
    expect((await owner.get<Session>(`/v1/sessions/${sessionId}`)).json.agentName).toBe('worker');
  });

  it('R-14 an agent that is edited leaves its sessions as they were until they are refreshed', async () => {
    await define('changing', `turns: [{ repeat: forever, steps: [{ say: before }] }]`);
    const { sessionId } = await open('changing');
    await define('changing', `turns: [{ repeat: forever, steps: [{ say: after }] }]`);
    const first = await ended((await submit(sessionId)).runId);
    expect(first.output).toEqual([{ type: 'text', text: 'before' }]);
    expect((await owner.post(`/v1/sessions/${sessionId}/refresh`)).status).toBe(200);
    const second = await ended((await submit(sessionId)).runId);
    expect(second.output).toEqual([{ type: 'text', text: 'after' }]);
  });

  it('a broken definition disables that agent, says so, and not the daemon', async () => {
    const directory = join(workspace, '.stoa', 'agents');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'bad.md'), '---\ndriver: { kind: magic }\n---\nHi');
    writeFileSync(join(directory, 'good.md'), '---\ndriver: { kind: builtin }\n---\nHi');
    const refused = await owner.post('/v1/sessions', { agentId: 'bad', workspace });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ code: 'agent_broken' });
    expect(JSON.stringify(refused.json)).toContain('bad.md');
    const unknown = await owner.post('/v1/sessions', { agentId: 'nobody', workspace });
    expect(unknown.json).toMatchObject({ code: 'unknown_agent' });
    expect(JSON.stringify(unknown.json)).toContain('good');
    expect((await open('good')).agentId).toBe('good');
  });

  it('R-24 keys in a definition are for the owner and the programs they are given to', async () => {
    const mcpServers = { db: { command: 'db', env: { KEY: 'canary-key', NAMED: '$PATH' } } };
    await define('keeper', 'turns: [{ steps: [{ say: hi }] }]', { mcpServers });
    const bob = await newPerson(daemon, 'bob');
    const shown = await Promise.all([
      bob.get('/v1/agents'),
      bob.get('/v1/agents/keeper'),
      bob.put('/v1/agents/keeper/nickname', { nickname: null }),
    ]);
    for (const { status, text } of shown) {
      expect(status, text).toBe(200);
      expect(text).toContain('$PATH');
      expect(text).not.toContain('canary-key');
    }
    expect((await owner.get('/v1/agents/keeper')).text).toContain('canary-key');
    const { sessionId } = await open('keeper');
    const { status, text } = await owner.get(`/v1/topics/session:${sessionId}/events?after=0`);
    expect(status, text).toBe(200);
    expect(text).toContain('session_created');
    expect(text).not.toContain('canary-key');
  });

  it('agents of a workspace are listed for it, to who may work there', async () => {
    const where = `?workspace=${encodeURIComponent(workspace)}`;
    const list = async (by: Caller, query = ''): Promise<Record<string, string>> => {
      const { json } = await by.get<{ agents: Agent[] }>(`/v1/agents${query}`);
      return Object.fromEntries(json.agents.map(({ agentId, status }) => [agentId, status]));
    };
    expect(await list(owner, where)).toMatchObject({ good: 'ready', bad: 'broken', stoa: 'ready' });
    expect(await list(owner)).not.toHaveProperty('good');
    expect((await owner.get<Agent>(`/v1/agents/bad${where}`)).json.problem).toContain(
      'driver.kind',
    );
    const cleo = await newPerson(daemon, 'cleo');
    expect(await list(cleo)).toHaveProperty('stoa');
    for (const path of ['/v1/agents', '/v1/agents/good']) {
      expect((await cleo.get(path + where)).json).toMatchObject({ code: 'forbidden' });
    }
    for (const directory of ['relative', '/no/such/directory', daemon.home]) {
      const { status } = await owner.get(`/v1/agents?workspace=${encodeURIComponent(directory)}`);
      expect(status, directory).toBe(400);
    }
  });

  it('R-23 a session belongs to its person, and a workspace that is not shared to the owner', async () => {
    const ada = await newPerson(daemon, 'ada');
    const { sessionId } = await open('worker');
    expect((await ada.get(`/v1/sessions/${sessionId}`)).status).toBe(403);
    expect((await ada.post(`/v1/sessions/${sessionId}/inbox`, { text: 'hi' })).status).toBe(403);
    const { json } = await ada.get<{ sessions: Session[] }>('/v1/sessions');
    expect(json.sessions).toEqual([]);
    const refused = await ada.post('/v1/sessions', { agentId: 'worker', workspace });
    expect(refused.json).toMatchObject({ code: 'forbidden' });
    const parent = await owner.post<Session>('/v1/sessions', {
      agentId: 'worker',
      workspace,
      mode: 'plan',
    });
    const wider = await owner.post('/v1/sessions', {
      agentId: 'worker',
      workspace,
      parentSessionId: parent.json.sessionId,
      mode: 'auto-edit',
    });
    expect(wider.status).toBe(403);
    expect(wider.json).toMatchObject({ code: 'authority_exceeded' });
  });

  it('R-23 a sub-session is held to what its parent denies and may do, also later', async () => {
    const shell = (command: string) =>
      `{ call: { tool: shell, input: { command: '${command}' } } }`;
    const write = '{ call: { tool: write_file, input: { path: secret/a.txt, content: x } } }';
    const twice = (step: string) => `[${step}, { say: '\${outcome}: \${result}' }]`;
    const script = `
turns:
  - when: { contains: shown }
    steps: ${twice(shell('echo hello'))}
  - when: { contains: hidden }
    steps: ${twice(shell('echo secret'))}
otherwise: ${twice(write)}
`;
    const allow = ['Shell(echo *)', 'Edit'];
    await define('below', script, { mode: 'auto-edit', permissions: { allow } });
    await define('above', 'otherwise: [{ pass: true }]', {
      mode: 'auto-edit',
      permissions: { deny: ['Shell(echo secret*)', 'Edit(secret/inner/**)'], allow },
    });
    const parent = await open('above');
    mkdirSync(join(workspace, 'secret', 'inner'), { recursive: true });
    const below = async (directory: string): Promise<(text: string) => Promise<string>> => {
      const { json, text: problem } = await owner.post<Session>('/v1/sessions', {
        agentId: 'below',
        workspace: directory,
        parentSessionId: parent.sessionId,
      });
      expect(json.parentSessionId, problem).toBe(parent.sessionId);
      return async (text) =>
        JSON.stringify((await ended((await submit(json.sessionId, text)).runId)).output);
    };
    const tell = await below(workspace);
    expect(await tell('shown')).toContain('ok: hello');
    expect(await tell('hidden')).toMatch(/denied: .*Shell\(echo secret\*\) \(parent\)/);
    expect(await tell('write')).toContain('ok: ');
    // Paths of the parent's rules begin where the parent works.
    const tellInside = await below(join(workspace, 'secret', 'inner'));
    expect(await tellInside('write')).toMatch(/denied: .*Edit\(secret\/inner\/\*\*\) \(parent\)/);
    const lowered = await owner.patch(`/v1/sessions/${parent.sessionId}`, { mode: 'plan' });
    expect(lowered.status).toBe(200);
    expect(await tell('write')).toMatch(/denied: .*Plan mode/);
    expect(await tell('shown')).toMatch(/denied: .*Plan mode/);
  });

  it('R-23 a sub-session is not refreshed to more than its parent has', async () => {
    await define('narrow', 'otherwise: [{ pass: true }]');
    const parent = await open('narrow');
    const { json: child } = await owner.post<Session>('/v1/sessions', {
      agentId: 'narrow',
      workspace,
      parentSessionId: parent.sessionId,
    });
    const more = { permissions: { allow: ['Shell(rm *)'] } };
    await define('narrow', 'otherwise: [{ pass: true }]', more);
    const refused = await owner.post(`/v1/sessions/${child.sessionId}/refresh`);
    expect(refused.json).toMatchObject({ status: 403, code: 'authority_exceeded' });
    expect((await owner.post(`/v1/sessions/${parent.sessionId}/refresh`)).status).toBe(200);
    expect((await owner.post(`/v1/sessions/${child.sessionId}/refresh`)).status).toBe(200);
  });

  it('what was accepted with a key is accepted once', async () => {
    const { sessionId } = await open('changing');
    const send = () =>
      owner.post<InboxItem>(
        `/v1/sessions/${sessionId}/inbox`,
        { text: 'once' },
        { headers: { 'Idempotency-Key': 'k1' } },
      );
    const [first, second] = [await send(), await send()];
    expect(second.json.itemId).toBe(first.json.itemId);
    const { json } = await owner.get<{ items: InboxItem[] }>(`/v1/sessions/${sessionId}/inbox`);
    expect(json.items).toHaveLength(1);
  });

  it('a session that has ended takes nothing more, and keeps its journal', async () => {
    const { sessionId } = await open('changing');
    await ended((await submit(sessionId)).runId);
    expect((await owner.post<Session>(`/v1/sessions/${sessionId}/end`)).json.status).toBe('ended');
    const refused = await owner.post(`/v1/sessions/${sessionId}/inbox`, { text: 'more' });
    expect(refused.json).toMatchObject({ code: 'session_ended' });
    const { json } = await owner.get<{ entries: { type: string }[] }>(
      `/v1/sessions/${sessionId}/journal`,
    );
    expect(json.entries.map(({ type }) => type)).toContain('model_message');
  });
});
