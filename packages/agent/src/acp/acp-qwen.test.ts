import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decide } from '@stoa/core';
import {
  AgentFixture,
  FakeModel,
  type InstalledProgram,
  installProgram,
  McpHttpServer,
  type ModelRequest,
  OWNER,
  outputOf,
  say,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../tools/shell/sandbox.js';
import { AcpDriver } from './acp-driver.js';

const KEY = 'sk-canary-of-qwen-42';
let qwen: InstalledProgram;
beforeAll(async () => {
  qwen = await installProgram('qwen');
}, 200_000);

/** The tool of Stoa's own MCP server, as the program names it. */
const own = (tool: string, { tools }: ModelRequest): string =>
  tools.find((name) => new RegExp(`^mcp__stoa[0-9a-f]{16}__${tool}$`).test(name)) ?? 'none';

const closing: (() => unknown)[] = [];
beforeEach(({ skip }) => {
  if (!qwen.command) skip(qwen.reason);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open() {
  const model = await FakeModel.start({ key: KEY });
  closing.push(() => model.close());
  const mcp = new McpHttpServer();
  await mcp.start();
  closing.push(() => mcp.stop());
  const userHome = mkdtempSync(join(tmpdir(), 'stoa-qwen-'));
  closing.push(() => {
    rmSync(userHome, { recursive: true, force: true });
  });
  const stage = await AgentFixture.open({
    config: {
      preset: 'qwen',
      command: [...(qwen.command ?? [])],
      model: 'fake-model',
      env: { HOME: userHome, OPENAI_BASE_URL: model.openaiUrl, OPENAI_API_KEY: '$QWEN_TEST_KEY' },
    },
    driver: (parts) =>
      new AcpDriver({
        ...parts,
        environment: { ...parts.environment, QWEN_TEST_KEY: KEY },
        sandbox: new Sandbox({ home: parts.home, writable: parts.writable }),
        decide,
        mcpFor: ({ session: { sessionId } }) => ({
          url: mcp.url,
          token: `token-of-${sessionId}`,
          tools: new Set(['greet']),
          revoke: () => undefined,
        }),
      }),
  });
  closing.push(() => stage.close());
  return { stage, model, mcp, session: await stage.session() };
}

describe('qwen', { timeout: 120_000 }, () => {
  it('R-26 its streamed answer, its tool calls and its usage are in the journal', async () => {
    const { stage, model, session } = await open();
    const path = join(stage.workspace, 'a.txt');
    writeFileSync(path, 'forty-two\n');
    model.script([
      useTools([toolCall('read_file', { file_path: path })], {
        text: 'I will read it. ',
        usage: { input: 1_000, output: 20 },
      }),
      say('The file says forty-two.', {
        chunkSize: 4,
        usage: { input: 1_100, cachedInput: 900, output: 8 },
      }),
    ]);
    const run = await session.ask('What does a.txt say?');
    expect(run.failure).toBeUndefined();
    expect(outputOf(run)).toBe('The file says forty-two.');
    expect(run.usage).toEqual({
      modelCalls: 2,
      inputTokens: 2_100,
      cachedInputTokens: 900,
      outputTokens: 28,
    });
    const [call] = await session.all('tool_call');
    expect(call?.data).toMatchObject({
      tool: 'read_file',
      kind: 'read',
      input: { file_path: path },
    });
    const [result] = await session.all('tool_result');
    expect(result?.data).toMatchObject({ outcome: 'ok', output: 'forty-two\n' });
    expect(model.requests[0]?.text).toContain('Be brief.');
    expect(model.requests[0]?.key).toBe(KEY);
    expect(await session.bytes()).not.toContain(KEY);
    model.assertPlayed();
  });

  it('R-27 calls a tool of the MCP endpoint on its first prompt, with the token of its session', async () => {
    const { model, mcp, session } = await open();
    model.script([
      (request) => useTools([toolCall(own('greet', request), { name: 'Ada' })]),
      say('I greeted her.'),
    ]);
    const run = await session.ask('Greet Ada.');
    expect(outputOf(run)).toBe('I greeted her.');
    const [first] = model.requests;
    expect(first && own('greet', first)).not.toBe('none');
    expect(model.requests[1]?.toolResults.map(({ text }) => text)).toEqual([
      expect.stringContaining('Hello Ada'),
    ]);
    const tokens = new Set(mcp.headers.map(({ authorization }) => authorization));
    expect(tokens).toEqual(new Set([`Bearer token-of-${session.sessionId}`]));
  });

  it('R-28 its requests become approvals, and both answers reach it', async () => {
    const { stage, model, session } = await open();
    const path = join(stage.workspace, 'made.txt');
    const write = { file_path: path, content: 'made\n' };
    model.script([
      useTools([toolCall('write_file', write)]),
      say('I did not.'),
      useTools([toolCall('write_file', write)]),
      say('I did.'),
    ]);
    const denied = await session.submit('Make a file.');
    const question = await stage.asked(session);
    expect(question.input).toEqual(write);
    expect(question.detail).toContain('+made');
    await stage.answer(session, { decision: 'deny', scope: 'once' });
    expect(outputOf(await session.ended(denied.runId))).toBe('I did not.');
    expect(existsSync(path)).toBe(false);
    const allowed = await session.submit('Make it now.');
    await stage.answer(session, { decision: 'allow', scope: 'once' });
    expect(outputOf(await session.ended(allowed.runId))).toBe('I did.');
    expect(readFileSync(path, 'utf8')).toBe('made\n');
    const results = await session.all('tool_result');
    expect(results.map(({ data }) => data.outcome)).toEqual(['denied', 'ok']);
  });

  it('R-32 its session continues after a restart, and nothing is repeated', async () => {
    const { stage, model, session } = await open();
    model.script([say('Noted.'), say('It is 42.')]);
    await session.ask('My number is 42.');
    await stage.restart();
    const again = session.on(stage.daemon);
    expect(outputOf(await again.ask('What is my number?'))).toBe('It is 42.');
    const turns = model.requests[1]?.conversation.turns.map(({ text }) => text).join('\n') ?? '';
    expect(turns).toContain('My number is 42.');
    expect(turns.split('Be brief.')).toHaveLength(2);
    expect((await again.all('note')).map(({ data }) => data.code)).toEqual(['acp_session']);
  });

  it('R-4 it ends a cancelled prompt and accepts the next', async () => {
    const { stage, model, session } = await open();
    model.script([
      useTools([toolCall('run_shell_command', { command: 'touch x', is_background: false })]),
      say('Here I am.'),
    ]);
    const { runId } = await session.submit('Wait.');
    await stage.asked(session);
    await stage.daemon.core.runs.cancel(OWNER, runId);
    expect((await session.ended(runId)).status).toBe('cancelled');
    const run = await session.ask('Are you there?');
    expect(outputOf(run)).toBe('Here I am.');
    await until('no session was given up', () => stage.diagnoses.length === 0);
  });
});
