import { decide } from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { until, WorkspaceRun, type WorkspaceRunOptions } from '@stoa/testkit';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { inputHash } from './input-hash.js';
import { askUser, passTurn } from './talk/answer-tools.js';
import { defineTool, type Tool } from './tool.js';
import { ToolFailure } from './tool-failure.js';
import { ToolRunner } from './tool-runner.js';

const worlds: WorkspaceRun[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.discard();
});

/** A tool that runs nothing and records its inputs. */
function pretendShell(ran: unknown[], answer = 'done'): Tool {
  return defineTool<{ command: string; times?: number | undefined }>({
    name: 'shell',
    description: 'Pretends.',
    input: z.strictObject({ command: z.string(), times: z.int().optional() }),
    kind: 'execute',
    title: ({ command }) => `Run ${command}`,
    subjects: ({ command }) => Promise.resolve([{ type: 'shell', command }]),
    execute: (input) => {
      ran.push(input);
      return Promise.resolve({ text: answer });
    },
  });
}

async function staged(options: WorkspaceRunOptions = {}, more: readonly Tool[] = []) {
  const world = await WorkspaceRun.open(options);
  worlds.push(world);
  const ran: unknown[] = [];
  const diagnosed: { message: string; details: Readonly<Record<string, unknown>> }[] = [];
  const runner = new ToolRunner({
    tools: [pretendShell(ran), askUser, passTurn, ...more],
    decide,
    home: world.home,
    now: () => performance.now(),
    diagnose: (message, details) => diagnosed.push({ message, details }),
  });
  const call = (tool: string, input: unknown, callId = 'call_1') =>
    runner.call({ run: world.context, callId, tool, input });
  return { world, runner, ran, diagnosed, call };
}

it('lists the tools when a model calls an unknown one', async () => {
  const { call } = await staged();
  const result = await call('shel', {});
  expect(result).toMatchObject({
    outcome: 'error',
    output: 'There is no tool shel. There are: shell, ask_user, pass_turn',
  });
});

it('reports invalid arguments, and runs nothing', async () => {
  const { call, ran, world } = await staged({ mode: 'full' });
  const result = await call('shell', { command: 'ls', times: 'twice', colour: 1 });
  expect(result.outcome).toBe('error');
  expect(result.output).toMatch(/times: .*number/);
  expect(result.output).toMatch(/colour/);
  expect(await call('shell', '{"command": "l', 'call_2')).toMatchObject({ outcome: 'error' });
  expect(ran).toEqual([]);
  expect(await world.session().all('tool_call')).toEqual([]);
  expect(await world.session().all('tool_result')).toHaveLength(2);
});

it('refuses arguments that are too large', async () => {
  const { call } = await staged({ mode: 'full' });
  const result = await call('shell', { command: 'x'.repeat(LIMITS.toolInputBytes) });
  expect(result.output).toMatch(/bytes/);
});

it('journals a call before it runs, and its result after it', async () => {
  const seen: string[][] = [];
  const inspect = defineTool({
    name: 'inspect',
    description: 'Reads the journal.',
    input: z.strictObject({}),
    kind: 'other',
    title: () => 'Inspect',
    subjects: () => Promise.resolve([{ type: 'none' }]),
    async execute() {
      seen.push((await world.session().types()).slice(-2));
      return { text: 'seen' };
    },
  });
  const { world, call } = await staged({ mode: 'full' }, [inspect]);
  const result = await call('inspect', {});
  expect(result).toMatchObject({ outcome: 'ok', output: 'seen', endsTurn: false });
  expect(seen).toEqual([['delivered', 'tool_call']]);
  expect((await world.session().types()).slice(-2)).toEqual(['tool_call', 'tool_result']);
  const [journaled] = await world.session().all('tool_call');
  expect(journaled?.data.inputHash).toBe(inputHash({}));
});

it('R-18 a deny rule overrides ask and allow rules, and is reported to the model', async () => {
  const { call, ran, world } = await staged({
    mode: 'full',
    permissions: { deny: ['Shell(rm *)'], ask: ['Shell'], allow: ['Shell'] },
  });
  const result = await call('shell', { command: 'rm -rf x' });
  expect(result.outcome).toBe('denied');
  expect(result.output).toMatch(/Shell\(rm \*\)/);
  expect(ran).toEqual([]);
  expect(await world.session().all('tool_call')).toEqual([]);
});

it('R-18 a rule for one command does not allow another in the same line', async () => {
  const { call, world } = await staged({ permissions: { allow: ['Shell(git status*)'] } });
  expect(await call('shell', { command: 'git status' })).toMatchObject({ outcome: 'ok' });
  const hidden = ['git status; rm -rf x', 'git status $(rm x)', 'git status && x'];
  for (const [index, command] of hidden.entries()) {
    const called = call('shell', { command }, `call_hidden_${index}`);
    await world.answer({ decision: 'deny', scope: 'once' });
    expect(await called, command).toMatchObject({ outcome: 'denied' });
  }
});

it('R-39 a command that cannot be parsed needs approval and is logged, regardless of allow rules', async () => {
  const { call, ran, diagnosed, world } = await staged({
    permissions: { allow: ['Shell(echo *)'] },
  });
  const command = 'echo "unfinished';
  const called = call('shell', { command });
  const approval = await world.answer({ decision: 'deny', scope: 'once' });
  expect(approval.input).toEqual({ command });
  expect(approval.suggestedRule).toBeUndefined();
  expect(await called).toMatchObject({ outcome: 'denied' });
  expect(ran).toEqual([]);
  expect(diagnosed).toMatchObject([{ details: { command, callId: 'call_1' } }]);
});

it('R-19 people see the exact arguments, the reason, and a suggested rule', async () => {
  const { call, world } = await staged();
  const input = { command: 'make  all', times: 2 };
  const called = call('shell', input);
  const approval = await world.asked();
  expect(approval).toMatchObject({
    kind: 'tool',
    tool: 'shell',
    callId: 'call_1',
    title: 'Run make all',
    input,
    inputHash: inputHash({ times: 2, command: 'make  all' }),
    reason: 'Mode ask asks before this',
    suggestedRule: expect.stringContaining('Shell(') as unknown,
  });
  await world.answer({ decision: 'allow', scope: 'once', inputHash: approval.inputHash });
  expect(await called).toMatchObject({ outcome: 'ok' });
  const [journaled] = await world.session().all('tool_call');
  expect(journaled?.data).toMatchObject({ approvalId: approval.approvalId, input });
});

it('R-20 runs exactly the arguments that a person changed', async () => {
  const { call, ran, world } = await staged();
  const called = call('shell', { command: 'rm -rf /' });
  const updatedInput = { command: 'ls', times: 3 };
  await world.answer({ decision: 'allow', scope: 'once', updatedInput });
  expect(await called).toMatchObject({ outcome: 'ok' });
  expect(ran).toEqual([updatedInput]);
  const [journaled] = await world.session().all('tool_call');
  expect(journaled?.data).toMatchObject({
    input: updatedInput,
    inputHash: inputHash(updatedInput),
  });
});

it('R-20 checks changed arguments like any input, and deny rules apply', async () => {
  const { call, ran, world } = await staged({ permissions: { deny: ['Shell(rm *)'] } });
  const called = call('shell', { command: 'ls' });
  const mistaken = { decision: 'allow', scope: 'once', updatedInput: { command: 7 } } as const;
  // The question is still open.
  await expect(world.answer(mistaken)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^The arguments of shell do not fit: command: /) as unknown,
  });
  await world.answer({ decision: 'allow', scope: 'once', updatedInput: { command: 'rm x' } });
  expect(await called).toMatchObject({ outcome: 'denied' });
  expect(ran).toEqual([]);
});

it('an approval does not apply to another call with the same id', async () => {
  const { call, ran, world } = await staged();
  const first = call('shell', { command: 'ls' });
  await world.answer({ decision: 'allow', scope: 'once' });
  await first;
  const second = await call('shell', { command: 'rm -rf /' });
  expect(second).toMatchObject({ outcome: 'error' });
  expect(ran).toEqual([{ command: 'ls' }]);
});

it('R-21 reports to the model that nobody answered, or the reason of a denial', async () => {
  const { call, world } = await staged({ runtime: { approvalMs: 1_000 } });
  const denied = call('shell', { command: 'ls' });
  await world.answer({ decision: 'deny', scope: 'once', message: 'use make' });
  expect((await denied).output).toMatch(/use make/);
  const expired = call('shell', { command: 'ls' }, 'call_2');
  await world.asked();
  world.clock.move(2_000);
  await world.daemon.core.approvals.expire(10);
  expect(await expired).toMatchObject({
    outcome: 'denied',
    output: expect.stringMatching(/in time/) as unknown,
  });
});

it('R-22 a question that was open when the daemon died can be answered after its restart', async () => {
  const { call, world, ran } = await staged();
  const lost = call('shell', { command: 'ls' });
  lost.catch(() => undefined);
  const { approvalId } = await world.asked();
  await world.restart();
  const called = call('shell', { command: 'ls' });
  expect((await world.asked()).approvalId).toBe(approvalId);
  await world.answer({ decision: 'allow', scope: 'once' });
  expect(await called).toMatchObject({ outcome: 'ok' });
  expect(ran).toEqual([{ command: 'ls' }]);
});

it('R-22 an agent gets the answer to its question, even after a restart', async () => {
  const { call, world } = await staged();
  const input = { question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] };
  call('ask_user', input).catch(() => undefined);
  const approval = await world.asked();
  expect(approval).toMatchObject({
    kind: 'question',
    title: 'Which colour?',
    options: input.options,
  });
  await world.restart();
  const called = call('ask_user', input);
  await world.answer({ decision: 'answer', answer: 'blue' });
  expect(await called).toMatchObject({ outcome: 'ok', output: 'blue', forModel: 'blue' });
});

it('an agent may ask in every mode, and learns that a person refused to answer', async () => {
  const { call, world } = await staged({ mode: 'plan' });
  const called = call('ask_user', { question: 'Why?' });
  await world.answer({ decision: 'deny', scope: 'once', message: 'not now' });
  expect(await called).toMatchObject({
    outcome: 'denied',
    output: expect.stringMatching(/not now/) as unknown,
  });
});

it('pass_turn ends the turn', async () => {
  const { call } = await staged();
  expect(await call('pass_turn', { reason: 'nothing to add' })).toMatchObject({ endsTurn: true });
});

it('cuts long output in the middle, with a note', async () => {
  const long = `BEGIN${'x'.repeat(100_000)}END`;
  const flood = { ...pretendShell([], long), name: 'flood' };
  const { call } = await staged({ mode: 'full' }, [flood]);
  const { output } = await call('flood', { command: 'yes' });
  expect(output.length).toBeLessThanOrEqual(LIMITS.toolOutputChars);
  expect(output).toMatch(/^BEGINx+\n\[… \d+ characters left out …\]\nx+END$/);
});

it('an exception in a tool is an error for the model and a line in the log', async () => {
  const broken: Tool = {
    ...pretendShell([]),
    name: 'broken',
    execute: () => Promise.reject(new TypeError('oops')),
  };
  const failing: Tool = {
    ...pretendShell([]),
    name: 'failing',
    execute: () => Promise.reject(new ToolFailure('no such thing')),
  };
  const { call, diagnosed } = await staged({ mode: 'full' }, [broken, failing]);
  expect(await call('broken', { command: '' })).toMatchObject({ outcome: 'error' });
  expect(diagnosed).toMatchObject([
    { message: 'a tool failed unexpectedly', details: { tool: 'broken' } },
  ]);
  expect(await call('failing', { command: '' }, 'call_2')).toMatchObject({
    outcome: 'error',
    output: 'no such thing',
  });
  expect(diagnosed).toHaveLength(1);
});

/** Tools that record their start and wait until the test opens their gate. */
function gated(kinds: Readonly<Record<string, Tool['kind']>>) {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const tools = Object.entries(kinds).map(([name, kind]) =>
    defineTool({
      name,
      description: name,
      input: z.strictObject({}),
      kind,
      title: () => name,
      subjects: () => Promise.resolve([{ type: 'none' }]),
      execute: async () => {
        begun.push(name);
        await new Promise<void>((resolve) => gates.set(name, resolve));
        return { text: name };
      },
    }),
  );
  return { begun, gates, tools };
}

it('runs consecutive read-only calls in parallel, and the others in order', async () => {
  const { begun, gates, tools } = gated({ a: 'read', b: 'search', c: 'execute', d: 'read' });
  const { world, runner } = await staged({ mode: 'full' }, tools);
  const names = ['a', 'b', 'c', 'd'];
  const calls = names.map((tool) => ({ callId: tool, tool, input: {} }));
  const all = runner.callAll(world.context, calls);
  await until('a and b have begun', () => begun.length === 2);
  gates.get('b')?.();
  gates.get('a')?.();
  await until('c has begun', () => begun.length === 3);
  expect(begun.toSorted()).toEqual(['a', 'b', 'c']);
  gates.get('c')?.();
  await until('d has begun', () => begun.length === 4);
  gates.get('d')?.();
  expect((await all).map(({ output }) => output)).toEqual(names);
});

it('R-4 a run that is cancelled during a tool stops, and writes nothing afterwards', async () => {
  const waits = defineTool({
    name: 'waits',
    description: 'Waits.',
    input: z.strictObject({}),
    kind: 'other',
    title: () => 'Wait',
    subjects: () => Promise.resolve([{ type: 'none' }]),
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  });
  const { world, call } = await staged({ mode: 'full' }, [waits]);
  const called = call('waits', {});
  await until('it has begun', async () => (await world.session().all('tool_call')).length === 1);
  const refused = expect(called).rejects.toMatchObject({ code: 'run_ended' });
  await world.cancel();
  await refused;
  expect((await world.session().types()).at(-1)).toBe('cancelled');
  await expect(call('waits', {}, 'call_2')).rejects.toThrow();
});

it('R-21 a run that is cancelled while it waits for an answer does not hang', async () => {
  const { world, call, ran } = await staged();
  const called = call('shell', { command: 'ls' });
  const refused = expect(called).rejects.toMatchObject({ code: 'run_ended' });
  await world.asked();
  await world.cancel();
  await refused;
  expect(ran).toEqual([]);
});

it('describes the tools that an agent selects', async () => {
  const { world, runner } = await staged();
  const described = await runner.describe(world.context);
  expect(described.map(({ name }) => name)).toEqual(['shell', 'ask_user', 'pass_turn']);
  expect(described[0]?.inputSchema).toMatchObject({
    type: 'object',
    required: ['command'],
    additionalProperties: false,
  });
});
