import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, sendSignal, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOAK = process.env['STOA_SOAK'] === '1';
const INSTALL_MS = SOAK ? 15 * 60_000 : 60_000;

/**
 * A copy of what a clone holds. An installation takes minutes where SQLite is compiled, so only the
 * soak installs; otherwise the copy borrows the dependencies that are here, and builds itself.
 */
function makeClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'stoa-clone-'));
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT });
  for (const file of files.toString('utf8').split('\0')) {
    if (file !== '' && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(clone, file));
  }
  if (!SOAK) borrowDependencies(clone);
  return clone;
}

/** npm puts what the packages do not agree on beside them. */
function borrowDependencies(clone: string): void {
  const nested = readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name));
  for (const folder of ['.', 'bench', ...nested]) {
    const from = join(ROOT, folder, 'node_modules');
    if (existsSync(from)) copyTree(from, join(clone, folder));
  }
}

/** By hard links, which cost nothing; whole where the two lie on different file systems. */
function copyTree(from: string, into: string): void {
  try {
    execFileSync('cp', ['-al', from, into], { stdio: 'ignore' });
  } catch {
    execFileSync('cp', ['-a', from, into]);
  }
}

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<[number | null, NodeJS.Signals | null]>;
}

function npm(clone: string, args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn('npm', args, {
    cwd: clone,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as a shell gives to what is started in a terminal.
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  }
  const exit = once(child, 'close') as Run['exit'];
  return { child, output: () => text, exit };
}

/** Ctrl-C: a terminal signals everybody in the foreground, not only who was started first. */
function pressCtrlC({ child }: Run): void {
  sendSignal(-(child.pid ?? 0), 'SIGINT');
}

describe('a fresh clone', () => {
  let clone: string;
  let home: string;
  const runs: Run[] = [];

  beforeAll(() => {
    clone = makeClone();
    home = mkdtempSync(join(tmpdir(), 'stoa-clone-home-'));
  });

  afterAll(async () => {
    // In groups of their own they would outlive a test that failed before it ended them.
    for (const { child, exit } of runs) {
      if (child.exitCode === null && child.signalCode === null) {
        sendSignal(-(child.pid ?? 0), 'SIGKILL');
        await exit;
      }
    }
    rmSync(clone, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  });

  const start = async (): Promise<Run> => {
    const run = npm(clone, ['start'], { STOA_HOME: home, STOA_PORT: '0' });
    runs.push(run);
    await until(
      'the daemon is ready',
      () => {
        if (run.child.exitCode !== null) throw new Error(run.output());
        return (
          /^Stoa is ready at http:\/\/127\.0\.0\.1:\d+$/m.test(run.output()) &&
          /^Log in with http\S+$/m.test(run.output())
        );
      },
      { timeoutMs: INSTALL_MS, everyMs: 50 },
    );
    return run;
  };

  it('F-1 starts with npm start and nothing else, says where it is and how to log in, and ends with 0 on Ctrl-C', {
    timeout: INSTALL_MS + 30_000,
  }, async () => {
    expect(existsSync(join(clone, 'packages/cli/dist'))).toBe(false);
    const run = await start();
    pressCtrlC(run);
    expect(await run.exit).toEqual([0, null]);
    expect(run.output()).toContain('Built Stoa');
  });

  it('F-1 starts a second time without installing or building anything', {
    timeout: 60_000,
  }, async () => {
    const run = await start();
    pressCtrlC(run);
    expect(await run.exit).toEqual([0, null]);
    expect(run.output()).not.toContain('Built Stoa');
    expect(run.output()).not.toContain('Installing');
  });

  it('F-2 runs its tests with npm test and closes with how many passed', {
    timeout: INSTALL_MS + 60_000,
  }, async () => {
    const run = npm(clone, ['test', '--', 'packages/store/src/sqlite/version'], {
      STOA_TEST_POSTGRES: 'none',
    });
    runs.push(run);
    const [code] = await run.exit;
    expect(code, run.output()).toBe(0);
    expect(run.output().trimEnd().split('\n').at(-1)).toMatch(/^[1-9]\d* passed, 0 failed$/);
  });
});
