import { spawn } from 'node:child_process';
import { existsSync, promises as fs, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesWith, sendSignal, until } from '@stoa/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommandFiles } from './command-files.js';
import { readOutput } from './command-output.js';
import { systemPrograms } from './system-programs.js';
import { WRAPPER } from './wrapper.js';

let root: string;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-wrapper-')));
});
afterEach(() => fs.rm(root, { recursive: true, force: true }));

const SPAWN = `
const [written, first, status, wrapper, ...args] = process.argv.slice(1);
const child = require('node:child_process').spawn('/bin/sh', ['-c', wrapper, 'stoa', ...args], {
  detached: true,
  stdio: ['ignore', 'ignore', 'ignore', 'pipe', require('node:fs').openSync(status, 'a')],
});
child.stdio[3].write(first, () => require('node:fs').writeFileSync(written, ''));
child.on('exit', () => process.exit());
`;

const HELPERS = await Promise.all(
  (['head', 'cat', 'rm', 'grep', 'mkfifo', 'stdbuf'] as const).map((name) =>
    systemPrograms.path(name),
  ),
);

/** Starts a wrapper like a daemon, in a process that can be killed. */
function startDaemon(files: CommandFiles, nonce: string, command: string, first = '') {
  const own = [files.output, '', nonce, '', 'held', ...HELPERS, '0'];
  const args = [join(root, 'written'), first, files.status, WRAPPER, ...own];
  const program = ['/bin/bash', '-c', command];
  const daemon = spawn(process.execPath, ['-e', SPAWN, ...args, ...program], { stdio: 'ignore' });
  return async () => {
    const gone = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill('SIGKILL');
    await gone;
  };
}

it('a command ends with its daemon, including processes that left its group', async () => {
  const files = new CommandFiles(root, 'sh_0');
  const nonce = `nonce-${String(process.pid)}-${String(performance.now())}`;
  const escape = `setsid sleep 600 & trap '' TERM HUP; echo before; sleep 600`;
  const kill = startDaemon(files, nonce, `export MARK=${nonce}; ${escape}`);
  await until('it runs', async () => (await readOutput(files.output, 100)) === 'before\n');
  await until('both sleep', () => processesWith(nonce).length >= 2);
  const state = await files.state(nonce);
  expect(state.type).toBe('running');
  await kill();
  await until('no process is left', async () => {
    const { type } = await files.state(nonce);
    return type !== 'running' && processesWith(nonce).length === 0;
  });
});

it('a released command continues after its daemon was killed, and its end is recorded', async () => {
  const files = new CommandFiles(root, 'sh_1');
  files.writeIntent({ id: 'sh_1', nonce: 'n1', command: '', cwd: root, at: 0 });
  expect(await files.state('n1')).toEqual({ type: 'intended' });
  const command = `echo before; until [ -e ${root}/go ]; do sleep 0.02; done; echo after; exit 5`;
  const kill = startDaemon(files, 'n1', command, '\n');
  await until('it runs', async () => (await readOutput(files.output, 100)) === 'before\n');
  await until('it was released', () => existsSync(join(root, 'written')));
  const state = await files.state('n1');
  expect(state.type).toBe('running');
  await kill();
  expect(await files.state('n1')).toEqual(state);
  await fs.writeFile(join(root, 'go'), '');
  const end = await until('it has ended', async () => {
    const now = await files.state('n1');
    return now.type === 'running' ? undefined : now;
  });
  expect(end).toEqual({ type: 'exited', exitCode: 5 });
  await until('its output is complete', async () =>
    (await readOutput(files.output, 100)).endsWith('after\n'),
  );
});

it('the state of a command that was killed with its wrapper is unknown', async () => {
  const files = new CommandFiles(root, 'sh_2');
  const args = [
    WRAPPER,
    'stoa',
    files.output,
    '',
    'n2',
    '',
    '',
    ...HELPERS,
    '0',
    '/bin/sleep',
    '60',
  ];
  const child = spawn('/bin/sh', ['-c', ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ignore', files.openStatus()],
  });
  await until('it runs', async () => (await files.state('n2')).type === 'running');
  const gone = new Promise((resolve) => child.once('exit', resolve));
  sendSignal(-(child.pid ?? 0), 'SIGKILL');
  await gone;
  expect(await files.state('n2')).toEqual({ type: 'unknown' });
});

it('a command does not run if its start cannot be recorded', async () => {
  const args = [WRAPPER, 'stoa', join(root, 'out'), '', 'n3', '', '', ...HELPERS, '0'];
  const child = spawn('/bin/sh', ['-c', ...args, '/bin/sh', '-c', `: > ${root}/ran`], {
    // Every write to it fails.
    stdio: ['ignore', 'ignore', 'ignore', 'ignore', openSync('/dev/full', 'w')],
  });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(125);
  expect(await fs.readdir(root)).toEqual([]);
});

it('an incomplete record is ignored, and the one before it is used', async () => {
  const files = new CommandFiles(root, 'sh_4');
  const begun = { nonce: 'n4', bootId: 'b', pid: 4, startTime: '1' };
  const ended = JSON.stringify({ ...begun, exitCode: 0 });
  await fs.writeFile(files.status, `${JSON.stringify(begun)}\n${ended.slice(0, -4)}`);
  expect(await files.readStatus('n4')).toEqual(begun);
  await fs.writeFile(files.status, `${JSON.stringify(begun)}\n${ended}\n`);
  expect(await files.state('n4')).toEqual({ type: 'exited', exitCode: 0 });
});

it.each([-1, 0, 1])(
  'a record with the process id %d is ignored: a signal would reach other processes',
  async (pid) => {
    const files = new CommandFiles(root, 'sh_5');
    const record = { nonce: 'n5', bootId: 'b', pid, startTime: '1', exitCode: 0 };
    await fs.writeFile(files.status, `${JSON.stringify(record)}\n`);
    expect(await files.readStatus('n5')).toBeUndefined();
  },
);
