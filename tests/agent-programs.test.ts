import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session, Stamped } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  endedRun,
  FAKE_AGENT,
  FakeModel,
  gate,
  type InstalledProgram,
  installProgram,
  LiveSocket,
  type ModelRequest,
  openSession,
  pendingApproval,
  readAgentLog,
  say,
  startDaemon,
  submit as submitTo,
  type TestDaemon,
  toolCall,
  until,
  useTools,
  when,
} from '@stoa/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { start } from './stoa-command.js';

const KEY = 'sk-canary-of-qwen-in-the-daemon';

/** The tool of Stoa's own MCP server, as the program names it. */
const own = (tool: string, { tools }: ModelRequest): string =>
  tools.find((name) => new RegExp(`^mcp__stoa[0-9a-f]{16}__${tool}$`).test(name)) ?? 'none';

/** One daemon and one qwen for all of them: starting the latter takes seconds. */
describe('qwen, run by the daemon', { timeout: 120_000 }, () => {
  let qwen: InstalledProgram;
  let daemon: TestDaemon;
  let owner: Caller;
  let model: FakeModel;
  let workspace: string;
  let userHome: string;

  beforeAll(async () => {
    qwen = await installProgram('qwen');
    workspace = mkdtempSync(join(tmpdir(), 'stoa-qwen-work-'));
    userHome = mkdtempSync(join(tmpdir(), 'stoa-qwen-home-'));
    model = await FakeModel.start({ key: KEY });
    daemon = await startDaemon({ env: { QWEN_TEST_KEY: KEY } });
    owner = callerOf(daemon.url, daemon.token);
    if (!qwen.command) return;
    const { status, text } = await owner.put('/v1/agents/qwen', {
      driver: {
        kind: 'acp',
        preset: 'qwen',
        command: qwen.command,
        model: 'fake-model',
        env: { HOME: userHome, OPENAI_BASE_URL: model.openaiUrl, OPENAI_API_KEY: '$QWEN_TEST_KEY' },
      },
      instructions: 'Be brief.',
    });
    expect(status, text).toBe(200);
  }, 200_000);

  beforeEach(({ skip }) => {
    if (!qwen.command) skip(qwen.reason);
  });

  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    for (const directory of [workspace, userHome]) {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  const open = () => openSession(owner, { agentId: 'qwen', workspace });
  const submit = async (sessionId: string, text: string): Promise<string> =>
    (await submitTo(owner, sessionId, text)).runId;
  const ended = (runId: string) => endedRun(owner, runId);

  const journal = async (sessionId: string): Promise<Stamped[]> =>
    (await owner.get<{ entries: Stamped[] }>(`/v1/sessions/${sessionId}/journal?limit=200`)).json
      .entries;

  it('R-26 stoa run writes its answer as it comes, and shows its calls and what it took', async () => {
    const path = join(workspace, 'a.txt');
    writeFileSync(path, 'forty-two\n');
    const held = gate();
    model.script([
      useTools([toolCall('read_file', { file_path: path })], {
        text: 'I look. ',
        usage: { input: 1_000, output: 20 },
      }),
      say('The file says forty-two.', {
        chunkSize: 4,
        gate: held,
        usage: { input: 1_100, cachedInput: 900, output: 8 },
      }),
    ]);
    const args = ['run', '--agent', 'qwen', '--json', 'What does a.txt say?'];
    const command = start(args, { cwd: workspace, env: { STOA_HOME: daemon.home } });
    held.release(3);
    await until('its words come', () => command.output().out.includes('"text":"The '));
    held.open();
    const code = await command.ended;
    const { out, err } = command.output();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Stamped | { type: string });
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      outcome: 'completed',
      text: 'The file says forty-two.',
      usage: { modelCalls: 2, inputTokens: 2_100, cachedInputTokens: 900, outputTokens: 28 },
    });
    const chunks = events.filter(({ type }) => type === 'text_chunk');
    expect(chunks.length).toBeGreaterThan(1);
    expect(events.find(({ type }) => type === 'tool_call')).toMatchObject({
      data: { tool: 'read_file', kind: 'read', input: { file_path: path } },
    });
    expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({
      data: { outcome: 'ok', output: 'forty-two\n' },
    });
    expect(model.requests[0]?.text).toContain('Be brief.');
    expect(out).not.toContain(KEY);
    model.assertPlayed();
  });

  it('R-26 R-28 over the API it is followed live, and asks before it writes', async () => {
    const path = join(workspace, 'made.txt');
    const held = gate();
    model.script([
      useTools([toolCall('write_file', { file_path: path, content: 'made\n' })]),
      say('It is made now, as you asked.', { chunkSize: 5, gate: held }),
    ]);
    const sessionId = await open();
    const live = await LiveSocket.open(daemon.url, daemon);
    await live.subscribe(`session:${sessionId}`, 0);
    const runId = await submit(sessionId, 'Make a file.');
    const asked = await until('it asks', () =>
      live.events().find(({ type }) => type === 'waiting_approval'),
    );
    const { approval } = asked.data as { approval: { approvalId: string; input: unknown } };
    expect(approval.input).toEqual({ file_path: path, content: 'made\n' });
    await owner.post(`/v1/approvals/${approval.approvalId}/answer`, { decision: 'allow' });
    held.release(3);
    await until('its words arrive while it writes', () =>
      live.frames.some((frame) => frame.type === 'text_chunk' && frame.text.startsWith('It is')),
    );
    held.open();
    const run = await ended(runId);
    expect(run).toMatchObject({
      status: 'completed',
      output: [{ type: 'text', text: 'It is made now, as you asked.' }],
    });
    expect(readFileSync(path, 'utf8')).toBe('made\n');
    await live.close();
  });

  it('R-27 uses a tool of the daemon in its first prompt, and it counts for its own session', async () => {
    const [one, two] = [await open(), await open()];
    model.script([
      when({ userText: 'You are one', toolResult: false }, (request) =>
        useTools([toolCall(own('emit_output', request), { content: 'I am one' })]),
      ),
      when({ userText: 'You are one', toolResult: true }, say('Done.')),
      when({ userText: 'You are two' }, say('I am two.')),
    ]);
    const before = model.requests.length;
    const runs = [await submit(one, 'You are one.'), await submit(two, 'You are two.')];
    const [first, second] = await Promise.all(runs.map(ended));
    expect(first?.output).toEqual([{ type: 'text', text: 'I am one' }]);
    expect(second?.output).toEqual([{ type: 'text', text: 'I am two.' }]);
    const asked = model.requests.slice(before).find(({ text }) => text.includes('You are one'));
    expect(asked && own('emit_output', asked)).not.toBe('none');
    for (const sessionId of [one, two]) {
      const outputs = (await journal(sessionId)).filter(({ type }) => type === 'output_emitted');
      expect(outputs).toHaveLength(sessionId === one ? 1 : 0);
    }
    model.assertPlayed();
  });
});

describe('a program that runs a session', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let directory: string;
  let log: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stoa-program-'));
    log = join(directory, 'agent.log');
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
    const { status, text } = await owner.put('/v1/agents/program', {
      driver: {
        kind: 'acp',
        command: [process.execPath, FAKE_AGENT],
        env: { FAKE_AGENT: JSON.stringify({ log }) },
      },
    });
    expect(status, text).toBe(200);
  });

  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(directory, { recursive: true, force: true });
  });

  it('R-27 R-41 has a token that is its session: it acts as no other, and decides nothing', async () => {
    const open = () => openSession(owner, { agentId: 'program', workspace: directory });
    const [mine, other] = [await open(), await open()];
    await submitTo(owner, mine, '!wait');
    const token = await until('the program has its token', () => {
      const [server] = (readAgentLog(log).find(({ type }) => type === 'new')?.['mcpServers'] ??
        []) as { headers: { value: string }[] }[];
      return server?.headers[0]?.value.replace('Bearer ', '');
    });
    const { runId } = await submitTo(owner, other, '!ask c1 execute {"command":"touch x"}');
    const { approvalId } = await pendingApproval(owner, other);
    const me = callerOf(daemon.url, token);
    expect((await me.get<Session>(`/v1/sessions/${mine}`)).json.sessionId).toBe(mine);
    const refused = await Promise.all([
      me.get(`/v1/sessions/${other}`),
      me.get(`/v1/sessions/${other}/journal`),
      me.post(`/v1/sessions/${other}/inbox`, { text: 'obey' }),
      me.post(`/v1/sessions/${other}/mailbox`, { toSessionId: mine, text: 'from the other' }),
      me.post(`/v1/runs/${runId}/cancel`),
      me.post(`/v1/approvals/${approvalId}/answer`, { decision: 'allow' }),
    ]);
    expect(refused.map(({ status, json }) => [status, json['code']])).toEqual(
      refused.map(() => [403, 'forbidden']),
    );
    const emit = (args: object) =>
      me.post<{ result?: { isError?: boolean } }>(
        '/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'emit_output', arguments: args },
        },
        { headers: { accept: 'application/json, text/event-stream' } },
      );
    expect((await emit({ content: 'I am the other', sessionId: other })).text).toContain(
      'invalid_request',
    );
    expect((await emit({ content: 'I am I' })).text).not.toContain('isError');
    const spoken = async (sessionId: string): Promise<Stamped[]> => {
      const path = `/v1/sessions/${sessionId}/journal?limit=200`;
      const { entries } = (await owner.get<{ entries: Stamped[] }>(path)).json;
      return entries.filter(({ type }) => type === 'output_emitted');
    };
    expect([(await spoken(mine)).length, (await spoken(other)).length]).toEqual([1, 0]);
    await owner.post(`/v1/sessions/${mine}/end`);
    await until(
      'the token ends with its session',
      async () => (await me.get(`/v1/sessions/${mine}`)).status === 401,
    );
  });
});
