import { spawnSync } from 'node:child_process';
import { closeSync, promises as fs, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from './child-environment.js';
import { startCommand } from './command.js';
import { CommandFiles } from './command-files.js';
import { readOutput } from './command-output.js';
import { findProcesses } from './process-tree.js';
import { CommandNotStarted, type RunningCommand } from './running-command.js';
import { Sandbox } from './sandbox.js';
import { SystemPrograms } from './system-programs.js';
import { HEAD_BYTES, PART_BYTES } from './wrapper.js';

let root: string;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-command-')));
  await fs.mkdir(join(root, 'home'));
  await fs.writeFile(join(root, 'home/token'), 'canary');
});
const started: RunningCommand[] = [];
afterEach(async () => {
  for (const running of started.splice(0)) await running.stop('test');
  await fs.rm(root, { recursive: true, force: true });
});

const sandboxes = () => ({
  none: new Sandbox({ home: join(root, 'home'), bubblewrap: null }),
  bubblewrap: new Sandbox({ home: join(root, 'home') }),
});
/** Does not use the tested code, whose failure must not skip its own tests. */
const works = (...options: string[]): boolean =>
  spawnSync('bwrap', ['--dev-bind', '/', '/', ...options, 'true']).status === 0;
const hasBubblewrap = works();
const hasNamespaces = works('--unshare-pid', '--proc', '/proc');
const NO_BUBBLEWRAP = 'bubblewrap (bwrap) is not installed or not permitted here';

const MANY_FILES = 100_000;

type Kind = keyof ReturnType<typeof sandboxes>;
const KINDS: readonly Kind[] = ['none', 'bubblewrap'];

async function start(command: string, kind: Kind): Promise<RunningCommand> {
  const running = await startCommand({
    command,
    cwd: root,
    directory: join(root, 'home/tasks/ses_1'),
    environment: childEnvironment(process.env),
    sandbox: sandboxes()[kind],
  });
  started.push(running);
  return running;
}

async function run(command: string, kind: Kind) {
  const running = await start(command, kind);
  const end = await running.wait();
  return { end, output: await readOutput(running.outputPath, 100_000), running };
}

const alive = (running: RunningCommand) =>
  findProcesses({ leader: running.pid ?? 0, marker: `STOA_TASK=${running.nonce}` });

describe.each(KINDS)('a command (sandbox: %s)', (kind) => {
  beforeEach((context) => {
    if (kind === 'bubblewrap' && !hasBubblewrap) context.skip(NO_BUBBLEWRAP);
  });

  it('R-17 runs with its output in one file and its exit code recorded', async () => {
    const { end, output, running } = await run('echo out; echo err >&2; exit 7', kind);
    expect(end).toEqual({ type: 'exited', exitCode: 7 });
    expect(output).toBe('out\nerr\n');
    const files = new CommandFiles(join(root, 'home/tasks/ses_1'), running.id);
    expect(await files.state(running.nonce)).toEqual({ type: 'exited', exitCode: 7 });
    const intent = JSON.parse(await fs.readFile(files.intent, 'utf8')) as unknown;
    expect(intent).toMatchObject({ nonce: running.nonce, cwd: root });
    expect((await fs.stat(files.directory)).mode & 0o777).toBe(0o700);
    await running.discard();
    expect(await fs.readdir(files.directory)).toEqual([]);
  });

  it('gets no input, runs in the workspace, and keeps words with spaces', async () => {
    const { output } = await run(`cat; pwd; printf '%s|' "a b" '$HOME' "it's"`, kind);
    expect(output).toBe(`${root}\na b|$HOME|it's|`);
  });

  it('leads its own group', async () => {
    const { output, running } = await run('ps -o sid= -p $$ || true; echo', kind);
    expect(running.pid).not.toBe(process.pid);
    if (kind === 'none') expect(Number(output)).toBe(running.pid);
  });

  it('can be found by its files while it runs, and only with its nonce', async () => {
    const running = await start('echo ready; sleep 60', kind);
    const files = new CommandFiles(join(root, 'home/tasks/ses_1'), running.id);
    await until('it is under way', async () =>
      (await readOutput(running.outputPath, 100)).includes('ready'),
    );
    expect(await files.state(running.nonce)).toEqual({ type: 'running', pid: running.pid });
    expect(await files.state('another nonce')).toEqual({ type: 'intended' });
    const status = JSON.parse(await fs.readFile(files.status, 'utf8')) as object;
    for (const changed of [{ bootId: 'another' }, { startTime: '1' }]) {
      await fs.writeFile(files.status, JSON.stringify({ ...status, ...changed }));
      expect(await files.state(running.nonce)).toEqual({ type: 'unknown' });
    }
    await running.stop('test');
  });

  it('R-4 is stopped with everything it started, which is verified', async () => {
    const script = 'sleep 300 & (sleep 301; true) & setsid sleep 302 & echo ready; wait';
    const running = await start(script, kind);
    await until('all are there', async () => ((await alive(running))?.length ?? 0) >= 6);
    const end = await running.stop('somebody');
    expect(end).toMatchObject({ type: 'stopped', by: 'somebody', isDead: true });
    expect(await alive(running)).toEqual([]);
  });

  it('R-4 kills processes that ignore SIGTERM, even if their leader has ended', async () => {
    const stubborn = `trap '' TERM; echo ready; while :; do sleep 300; done`;
    const running = await start(`(${stubborn}) & setsid bash -c "${stubborn}" & wait`, kind);
    await until('both are ready', async () =>
      (await readOutput(running.outputPath, 100)).includes('ready\nready'),
    );
    const end = await running.stop('somebody');
    expect(end).toMatchObject({ type: 'stopped', isDead: true });
    // A process namespace ends with its first process.
    if (kind === 'none') expect(end).toMatchObject({ signal: 'SIGKILL' });
    expect(await alive(running)).toEqual([]);
  });

  it('may clean up after SIGTERM', async () => {
    const running = await start(
      `trap 'echo tidied; exit 3' TERM; echo ready; sleep 60 & wait`,
      kind,
    );
    await until('it is ready', async () =>
      (await readOutput(running.outputPath, 100)).includes('ready'),
    );
    expect(await running.stop('somebody')).toEqual({
      type: 'stopped',
      by: 'somebody',
      signal: 'SIGTERM',
      isDead: true,
      exitCode: 3,
    });
    expect(await readOutput(running.outputPath, 100)).toBe('ready\ntidied\n');
  });

  it('leaves no process running', async () => {
    const { end, running } = await run(
      'sleep 300 & setsid sleep 301 >/dev/null 2>&1 & exit 0',
      kind,
    );
    expect(end).toEqual({ type: 'exited', exitCode: 0 });
    // Processes in a namespace end a moment after the command.
    await until('nothing is left', async () => (await alive(running))?.length === 0);
  });

  it('keeps only the beginning and the end of very long output', async () => {
    const total = HEAD_BYTES + 4 * PART_BYTES + 1_000;
    const script = `echo BEGIN; yes 0123456 | head -c ${total}; echo END`;
    const { end, running } = await run(script, kind);
    expect(end).toEqual({ type: 'exited', exitCode: 0 });
    const names = await fs.readdir(join(root, 'home/tasks/ses_1'));
    const sizes = await Promise.all(
      names.map(async (name) => (await fs.stat(join(root, 'home/tasks/ses_1', name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(
      HEAD_BYTES + 3 * PART_BYTES + 2_000,
    );
    const shown = await readOutput(running.outputPath, 10_000);
    expect(shown).toMatch(/^BEGIN\n0123456\n[^]*\[… \d+ bytes left out …\]\n[^]*\n?END\n$/);
    const missing = Number(/… (\d+) bytes/.exec(shown)?.[1]);
    const marks = Buffer.byteLength(`\n[… ${missing} bytes left out …]\n`);
    expect(Buffer.byteLength(shown) - marks + missing).toBe(total + 'BEGIN\nEND\n'.length);
  });

  it('reports that it could not be started', async () => {
    await fs.rm(join(root, 'home'), { recursive: true });
    const sandbox = sandboxes().none;
    const running = await startCommand({
      command: 'true',
      cwd: join(root, 'not there'),
      directory: join(root, 'tasks'),
      environment: {},
      sandbox,
    });
    expect(await running.wait()).toEqual({
      type: 'not_started',
      reason: 'its directory does not exist (ENOENT)',
    });
  });

  it('that is longer than the system accepts is refused, and leaves no files', async () => {
    const long = start(`: ${'€'.repeat(60_000)}`, 'none');
    await expect(long).rejects.toThrow(CommandNotStarted);
    await expect(long).rejects.toThrow('longer than the system accepts (E2BIG)');
    expect(await fs.readdir(join(root, 'home/tasks/ses_1'))).toEqual([]);
  });

  it('reports that no descriptor is left to start it, and the caller continues', async (context) => {
    // Programs are searched before the first command only.
    await run('true', 'none');
    const taken: number[] = [];
    try {
      try {
        while (taken.length < MANY_FILES) taken.push(openSync('/dev/null', 'r'));
      } catch {
        for (const file of taken.splice(-2)) closeSync(file);
      }
      if (taken.length === MANY_FILES) context.skip('too many files may be open here to open them');
      const { end } = await run('touch ran', 'none');
      expect(end).toEqual({ type: 'not_started', reason: 'too many files are open (EMFILE)' });
    } finally {
      for (const file of taken) closeSync(file);
    }
    expect(await fs.readdir(root)).not.toContain('ran');
  });

  it('R-24 gets only the variables of the daemon that it needs', async () => {
    const environment = childEnvironment(
      {
        ...process.env,
        STOA_TOKEN: 'canary',
        OPENAI_API_KEY: 'canary',
        MY_PASSWORD: 'canary',
        GITHUB_TOKEN: 'canary',
        UNKNOWN: 'canary',
        GOFLAGS: '-v',
      },
      ['GOFLAGS', 'GITHUB_TOKEN', 'STOA_TOKEN'],
    );
    const running = await startCommand({
      command: 'env',
      cwd: root,
      directory: join(root, 'tasks'),
      environment,
      sandbox: sandboxes()[kind],
    });
    await running.wait();
    const output = await readOutput(running.outputPath, 100_000);
    expect(output).not.toMatch(/canary/);
    expect(output).toMatch(/^GOFLAGS=-v$/m);
    expect(output).toMatch(/^TERM=dumb$/m);
    const own = output.match(/^STOA_.*$/gm);
    expect(own).toEqual([`STOA_TASK=${running.nonce}`]);
  });
});

describe('the sandbox', () => {
  it('reports that there is none', async () => {
    const report = await new Sandbox({ home: root, bubblewrap: null }).report();
    expect(report).toMatchObject({ kind: 'none', hidesHome: false });
    const programs = new SystemPrograms({ directories: [root] });
    const missing = await new Sandbox({ home: root, programs }).report();
    expect(missing.summary).toMatch(/commands are refused \(sh is not installed in/);
  });

  it('is used where it works', async (context) => {
    if (!hasBubblewrap) context.skip(NO_BUBBLEWRAP);
    expect(await sandboxes().bubblewrap.report()).toMatchObject({
      kind: 'bubblewrap',
      hidesHome: true,
      processes: hasNamespaces ? 'separate' : 'shared',
    });
  });

  it('R-41 hides the data directory, by every path to it', async (context) => {
    if (!hasBubblewrap) context.skip(NO_BUBBLEWRAP);
    const home = join(root, 'home');
    await fs.symlink(home, join(root, 'link'));
    const tries = [
      `cat ${home}/token`,
      `cat ${root}/link/token`,
      `cat /proc/self/root${home}/token`,
      `cat /proc/1/root${home}/token`,
      `umount ${home}; cat ${home}/token`,
      `unshare -r -m sh -c 'umount ${home}; cat ${home}/token'`,
      `cd ${home} && cat token`,
      `find ${home}`,
      ...(hasNamespaces
        ? [`cat /proc/${process.pid}/root${home}/token`, 'tr "\\0" "\\n" </proc/*/environ']
        : []),
    ];
    for (const attempt of tries) {
      const { output } = await run(attempt, 'bubblewrap');
      expect(output, attempt).not.toMatch(/canary/);
    }
    const { output } = await run(`echo x > ${home}/new || echo refused`, 'bubblewrap');
    expect(output).toMatch(/refused/);
    expect(await fs.readdir(home)).toEqual(expect.arrayContaining(['tasks', 'token']));
    expect(await fs.readdir(home)).not.toContain('new');
  });

  it('R-41 a command can neither see nor end the daemon', async (context) => {
    if (!hasNamespaces) context.skip('bubblewrap cannot make process namespaces here');
    const { output } = await run(`kill -0 ${process.pid} && echo there; ls /proc`, 'bubblewrap');
    expect(output).not.toMatch(/there/);
    expect(output.split('\n')).not.toContain(String(process.pid));
  });
});
