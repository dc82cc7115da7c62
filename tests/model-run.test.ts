import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Approval, Stamped, Usage, UsageReport } from '@stoa/protocol';
import {
  askSession,
  type Caller,
  callerOf,
  endedRun,
  FakeModel,
  fault,
  gate,
  newPerson,
  openSession,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { json, ownerOf, type RunningCommand, start } from './stoa-command.js';

const KEY = 'sk-of-the-environment';
/** Per million tokens. The name is that of the environment: only what it costs is configured. */
const CONFIG = `
providers:
  openai:
    kind: openai
    models:
      fake-model: { price: { input: 2, cachedInput: 0.5, output: 10 } }
currency: EUR
modelRetries: { attempts: 2 }
`;

let daemon: TestDaemon;
let model: FakeModel;
let owner: Caller;
let stoa: ReturnType<typeof ownerOf>;
let workspace: string;
const running: RunningCommand[] = [];

beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'stoa-model-run-'));
  writeFileSync(join(workspace, 'README.md'), '# A garden planner\n');
  model = await FakeModel.start({ key: KEY });
  daemon = await startDaemon({
    config: CONFIG,
    env: { OPENAI_BASE_URL: model.openaiUrl, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'fake-model' },
  });
  owner = callerOf(daemon.url, daemon.token);
  stoa = ownerOf(daemon);
});

afterEach(async () => {
  for (const command of running.splice(0)) {
    command.process.kill('SIGKILL');
    await command.ended;
  }
  rmSync(join(workspace, 'plan.md'), { force: true });
});

afterAll(async () => {
  await daemon.cleanUp();
  await model.close();
  rmSync(workspace, { recursive: true, force: true });
});

function begin(args: readonly string[]): RunningCommand {
  const command = start(['run', ...args], { env: { STOA_HOME: daemon.home }, cwd: workspace });
  running.push(command);
  return command;
}

const says = (command: RunningCommand, where: 'out' | 'err', text: string): Promise<true> =>
  until(`${where} has ${text}`, () => command.output()[where].includes(text));

const WRITE = toolCall('write_file', { path: 'plan.md', content: 'dig\n' });

describe('stoa run on a model', () => {
  it('lists the files and describes the project, with streamed text', async () => {
    const held = gate();
    model.script([
      useTools([
        toolCall('glob', { pattern: '**/*' }),
        toolCall('read_file', { path: 'README.md' }),
      ]),
      say('This is a garden planner.', { chunkSize: 5, gate: held }),
    ]);
    const command = begin(['list the files here and tell me what this is']);
    await held.reached();
    held.release(4);
    await says(command, 'out', 'This is');
    expect(command.output().out).not.toContain('planner');
    held.open();
    expect(await command.ended).toBe(0);
    const { out, err } = command.output();
    expect(out).toBe('This is a garden planner.\n');
    expect(err).toMatch(/^Stoa in \S+, mode ask, session ses_\w{26}\n→ .*\n→ .*\ncompleted · /);
    expect(model.requests[1]?.toolResults.map(({ text }) => text)).toEqual([
      expect.stringContaining('README.md'),
      expect.stringContaining('# A garden planner'),
    ]);
    model.assertPlayed();
  });

  it('asks before it writes: without a terminal it says how to answer, and waits', async () => {
    model.script([useTools([WRITE], { text: 'I write it down. ' }), say('It is written.')]);
    const command = begin(['make a plan']);
    await says(command, 'err', 'stoa approvals allow apr_');
    expect(existsSync(join(workspace, 'plan.md'))).toBe(false);
    const [approvalId = ''] = /apr_\w{26}/.exec(command.output().err) ?? [];
    expect((await stoa(['approvals', 'allow', approvalId])).code).toBe(0);
    expect(await command.ended).toBe(0);
    expect(command.output().out).toBe('I write it down. \nIt is written.\n');
    expect(readFileSync(join(workspace, 'plan.md'), 'utf8')).toBe('dig\n');
    model.assertPlayed();
  });

  it('as JSON: events and chunks a line, the result last, and 3 where nobody is to wait', async () => {
    model.script([useTools([WRITE])]);
    const command = begin(['--json', '--no-approval-wait', 'make a plan']);
    expect(await command.ended).toBe(3);
    const lines = command
      .output()
      .out.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Stamped | { type: 'result' });
    expect(lines.map(({ type }) => type)).toContain('waiting_approval');
    expect(lines.at(-1)).toMatchObject({ outcome: 'needs_approval', exitCode: 3 });
    const [approvalId = ''] = /apr_\w{26}/.exec(command.output().out) ?? [];
    model.script([say('Then not.')]);
    expect((await stoa(['approvals', 'deny', approvalId])).code).toBe(0);
    const { runId } = (await owner.get<Approval>(`/v1/approvals/${approvalId}`)).json;
    const run = await endedRun(owner, runId);
    expect(run.status).toBe('completed');
    expect(run.output).toEqual([{ type: 'text', text: 'Then not.' }]);
    expect(existsSync(join(workspace, 'plan.md'))).toBe(false);
  });

  it('ends with 1 and the code of the failure when the provider refuses', async () => {
    model.script([fault.status(401)]);
    const command = begin(['hello']);
    expect(await command.ended).toBe(1);
    expect(command.output().err).toMatch(/failed: .*\(model_unauthorized\)\n/);
    expect(command.output().err).not.toContain(KEY);
  });
});

describe('what runs took', () => {
  const used = (path: string, by: Caller = owner): Promise<UsageReport> =>
    by.get<UsageReport>(`/v1/usage?${path}`).then((answer) => answer.json);

  /** By the prices above, in the words of the server. */
  const costOf = (input: number, cached: number, output: number): number =>
    ((input - cached) * 2 + cached * 0.5 + output * 10) / 1e6;

  const session = () => openSession(owner, { agentId: 'stoa', workspace });
  const run = (sessionId: string) => askSession(owner, sessionId, 'go');

  it('R-16 by run, session, agent, channel, day and model is what the server reported, and its cost', async () => {
    const since = Date.now();
    const [one, two] = [await session(), await session()];
    model.script([
      useTools([toolCall('glob', { pattern: '*' })], { usage: { input: 1_000, output: 20 } }),
      say('First.', { usage: { input: 1_200, cachedInput: 900, output: 7 } }),
      say('Second.', { usage: { input: 1_300, cachedInput: 1_100, output: 3 } }),
      // What a broken answer took is not known: nothing is made up for it.
      fault.reset({ after: 1 }),
      say('Third.', { usage: { input: 400, output: 2 } }),
    ]);
    const [first, second] = [await run(one), await run(one)];
    const third = await run(two);
    model.assertPlayed();
    const usageOf = (calls: number, input: number, cached: number, output: number): Usage => ({
      modelCalls: calls,
      inputTokens: input,
      cachedInputTokens: cached,
      outputTokens: output,
      cost: expect.closeTo(costOf(input, cached, output), 9) as number,
    });
    const expected = {
      first: usageOf(2, 2_200, 900, 27),
      second: usageOf(1, 1_300, 1_100, 3),
      one: usageOf(3, 3_500, 2_000, 30),
    };
    expect(first.usage).toEqual(expected.first);
    expect(second.usage).toEqual(expected.second);
    expect((await used(`by=run&sessionId=${one}`)).groups).toEqual([
      { key: first.runId, usage: expected.first },
      { key: second.runId, usage: expected.second },
    ]);
    expect(await used(`by=session&sessionId=${one}`)).toEqual({
      by: 'session',
      groups: [{ key: one, usage: expected.one }],
      total: expected.one,
      currency: 'EUR',
    });
    for (const [by, key] of [
      ['day', new Date(since).toISOString().slice(0, 10)],
      ['model', 'openai/fake-model'],
      ['agent', 'stoa'],
      // A direct prompt belongs to no channel.
      ['channel', ''],
    ] as const) {
      const report = await used(`by=${by}&sessionId=${one}`);
      expect(report.groups, by).toEqual([{ key, usage: expected.one }]);
    }
    expect(third.usage).toMatchObject({ inputTokens: 400, outputTokens: 2 });
    const all = await used(`by=session&since=${since}`);
    expect(all.groups.map(({ key }) => key).sort()).toEqual([one, two].sort());
    expect(all.total).toMatchObject({ inputTokens: 3_900, outputTokens: 32 });
    expect((await used(`since=${since}&until=${since}`)).groups).toEqual([]);
    const cli = await json<UsageReport>(
      stoa(['usage', '--by', 'session', '--session', one, '--json']),
    );
    expect(cli.total).toEqual(expected.one);
    const ada = await newPerson(daemon, 'ada');
    expect((await used('by=session', ada)).groups).toEqual([]);
  });
});
