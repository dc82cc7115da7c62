import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@stoa/protocol';
import { until, WorkspaceRun, type WorkspaceRunOptions } from '@stoa/testkit';
import { afterEach, expect, it } from 'vitest';
import { toolCalls } from '../tool-calls.fixture.js';
import { Sandbox } from './sandbox.js';
import { createShell } from './shell.js';

const worlds: WorkspaceRun[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.discard();
});

async function staged(options: WorkspaceRunOptions = {}) {
  const world = await WorkspaceRun.open({ mode: 'full', ...options });
  worlds.push(world);
  const sandbox = new Sandbox({ home: world.home });
  const tasksDirectory = join(world.home, 'tasks');
  const callTool = toolCalls(world, [createShell({ tasksDirectory, sandbox })]);
  const call = (input: unknown) => callTool('shell', input);
  const files = () => fs.readdir(join(tasksDirectory, world.sessionId));
  return { world, call, files, sandbox };
}

it('R-17 runs a command in the workspace, and leaves no files', async () => {
  const { world, call, files } = await staged();
  await world.file('a.txt', 'hello');
  expect(await call({ command: 'cat a.txt; pwd' })).toMatchObject({
    outcome: 'ok',
    output: `hello${world.workspace}`,
  });
  expect(await call({ command: 'true' })).toMatchObject({ outcome: 'ok', output: '[No output]' });
  expect(await files()).toEqual([]);
});

it('reports to the model how a command failed', async () => {
  const { call } = await staged();
  expect(await call({ command: 'echo no >&2; exit 4' })).toMatchObject({
    outcome: 'error',
    output: 'no\n[Exit code 4]',
  });
});

it('returns the beginning and the end of long output', async () => {
  const { call } = await staged();
  const { output } = await call({ command: 'seq 1 500000' });
  expect(output.length).toBeLessThanOrEqual(LIMITS.toolOutputChars);
  expect(output).toMatch(/^1\n2\n3\n[^]*left out[^]*\n499999\n500000$/);
});

it('removes colours and other controls from the output', async () => {
  const { call } = await staged();
  const { output } = await call({ command: "printf '\\033[31mred\\033[0m\\a\\r\\n\\0end'" });
  expect(output).toBe('red\nend');
});

it('stops a command at its timeout', async () => {
  const { call } = await staged();
  const result = await call({ command: 'echo begun; sleep 60', timeout: 300 });
  expect(result.outcome).toBe('error');
  expect(result.output).toMatch(/\[Stopped after its 300 ms were over/);
});

it('refuses a timeout out of range, and background commands without a task registry', async () => {
  const { call } = await staged();
  expect((await call({ command: 'true', timeout: 600_001 })).output).toMatch(/timeout/);
  expect((await call({ command: 'true', timeout: 0 })).output).toMatch(/timeout/);
  const background = await call({ command: 'true', is_background: true });
  expect(background).toMatchObject({ outcome: 'error' });
  expect(background.output).toMatch(/no background tasks here/);
});

it('R-4 a command ends with its run', async () => {
  const { world, call, files } = await staged();
  const called = call({ command: 'echo $$ > pid; sleep 60' });
  const refused = expect(called).rejects.toMatchObject({ code: 'run_ended' });
  await until('it is under way', () =>
    fs.readFile(join(world.workspace, 'pid'), 'utf8').then(
      (text) => text !== '',
      () => false,
    ),
  );
  expect(await files()).not.toEqual([]);
  await world.cancel();
  await refused;
  expect(await files()).toEqual([]);
});

it('R-19 SE-7 an approval shows the command, and separately where it runs and what the sandbox protects', async () => {
  const { world, call, sandbox } = await staged({ mode: 'ask' });
  const { summary, limits } = await sandbox.report();
  const command = `ls\n${summary}\nrm -rf ~`;
  const called = call({ command, description: summary });
  const { input, detail, notes } = await world.answer({ decision: 'deny', scope: 'once' });
  expect(input).toEqual({ command, description: summary });
  expect(detail).toBeUndefined();
  expect(notes).toEqual([`It runs in ${world.workspace}.`, summary, ...limits]);
  expect(limits.join(' ')).toMatch(/network.*can write.*can read/);
  expect(await called).toMatchObject({ outcome: 'denied' });
});
