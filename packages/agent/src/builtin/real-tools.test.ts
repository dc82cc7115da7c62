import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Driver, decide } from '@stoa/core';
import type { DriverKind } from '@stoa/protocol';
import {
  AgentSession,
  CANARY_KEY,
  definitionOf,
  FakeModel,
  fault,
  OWNER,
  outputOf,
  QuickTimers,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { builtinTools } from '../tools/builtin-tools.js';
import { Sandbox } from '../tools/shell/sandbox.js';
import { ToolRunner } from '../tools/tool-runner.js';
import { createBuiltinDriver } from './builtin-driver.js';

let root: string;
let model: FakeModel;
let world: RuntimeWorld;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'stoa-builtin-')));
  await mkdir(join(root, 'home'));
  await mkdir(join(root, 'workspace'));
  await writeFile(join(root, 'workspace', 'notes.txt'), 'the robin sings\n');
  model = await FakeModel.start({ key: CANARY_KEY });
  const [engine] = STORE_ENGINES;
  if (!engine) throw new Error('there is no engine');
  world = await RuntimeWorld.open(engine);
});
afterEach(async () => {
  await world.discard();
  await model.close();
  await rm(root, { recursive: true, force: true });
});

function start(): Promise<RuntimeDaemon> {
  const home = join(root, 'home');
  const timers = new QuickTimers();
  const tools = new ToolRunner({
    tools: builtinTools({
      tasksDirectory: join(home, 'tasks'),
      sandbox: new Sandbox({ home, bubblewrap: null }),
    }),
    decide,
    home,
    now: () => performance.now(),
    diagnose: () => undefined,
  });
  const driver = createBuiltinDriver({
    config: {},
    environment: {
      OPENAI_BASE_URL: model.openaiUrl,
      OPENAI_API_KEY: CANARY_KEY,
      OPENAI_MODEL: 'fake-model',
    },
    tools,
    timers,
    clock: world.clock,
    random: () => 0,
  });
  return world.start({
    builtinAgents: () => Promise.resolve({ helper: definitionOf({ kind: 'builtin' }) }),
    drivers: new Map<DriverKind, Driver>([['builtin', driver]]),
    workspaces: {
      resolve: () => Promise.resolve(join(root, 'workspace')),
      instructions: () => Promise.resolve(undefined),
      isShared: () => true,
      isSelfApproved: () => true,
    },
  });
}

describe('the builtin driver with the real tools', () => {
  it('R-17 R-20 R-22 reads without asking, asks before it writes, and continues when the answer comes after a restart', async () => {
    const first = await start();
    const session = await AgentSession.open(first, 'helper');
    model.script([
      useTools([toolCall('read_file', { path: 'notes.txt' }), toolCall('glob', { pattern: '*' })]),
      useTools([toolCall('write_file', { path: 'sum.txt', content: 'a robin' })]),
      'Written.',
    ]);
    const { runId } = await session.submit('summarise the notes');
    await until('it asks', async () => (await session.all('waiting_approval')).length === 1);
    expect(model.requests[1]?.toolResults.map(({ text }) => text).join('\n')).toContain(
      'the robin sings',
    );
    await first.abandon();

    const second = await start();
    const after = session.on(second);
    const [asked] = await after.all('waiting_approval');
    expect(asked?.data.approval).toMatchObject({
      tool: 'write_file',
      input: { path: 'sum.txt', content: 'a robin' },
    });
    await until('the run resumes', async () => (await after.types()).includes('resumed'));
    await second.core.approvals.answer(OWNER, asked?.data.approval.approvalId ?? '', {
      decision: 'allow',
      scope: 'once',
      updatedInput: { path: 'sum.txt', content: 'two robins' },
    });
    const run = await after.ended(runId);
    expect(outputOf(run)).toBe('Written.');
    expect(await readFile(join(root, 'workspace', 'sum.txt'), 'utf8')).toBe('two robins');
    expect(await after.all('waiting_approval')).toHaveLength(1);
    expect((await after.all('tool_call')).map(({ data }) => data.tool).sort()).toEqual([
      'glob',
      'read_file',
      'write_file',
    ]);
    model.assertPlayed();
  });

  it('R-11 reports invalid calls to the model', async () => {
    const session = await AgentSession.open(await start(), 'helper');
    model.script([
      fault.malformedArguments('read_file'),
      useTools([toolCall('no_such_tool', {}), toolCall('read_file', { path: 5 })]),
      'I see.',
    ]);
    expect(outputOf(await session.ask('go'))).toBe('I see.');
    expect(model.requests[1]?.toolResults[0]?.text).toContain('are not a JSON object');
    const [unknown, invalid] = model.requests[2]?.toolResults ?? [];
    expect(unknown?.text).toMatch(
      /There is no tool no_such_tool. There are: read_file, write_file/,
    );
    expect(invalid?.text).toContain('do not fit: path');
    model.assertPlayed();
  });

  it('R-24 gives no keys to commands', async () => {
    vi.stubEnv('OPENAI_API_KEY', CANARY_KEY);
    onTestFinished(() => void vi.unstubAllEnvs());
    const session = await AgentSession.open(await start(), 'helper');
    await session.daemon.core.sessions.update(OWNER, session.sessionId, { mode: 'full' });
    model.script([useTools([toolCall('shell', { command: 'env' })]), 'Looked.']);
    expect(outputOf(await session.ask('look'))).toBe('Looked.');
    expect(model.requests[1]?.toolResults[0]?.text).toContain('PATH=');
    for (const { text } of model.requests) expect(text).not.toContain(CANARY_KEY);
    expect(await session.bytes()).not.toContain(CANARY_KEY);
  });
});
