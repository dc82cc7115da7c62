import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leftovers, markFile, reap } from '../scripts/leftovers.mjs';
import { report } from '../scripts/test-report.mjs';

describe('what a test run leaves behind', () => {
  let run: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    run = mkdtempSync(join(tmpdir(), 'stoa-planted-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
    rmSync(run, { recursive: true, force: true });
  });

  const passed = { status: 0, outcome: { passed: 7, failed: 0, skipped: [] } };
  /** Sleeps, with nothing of this run in its environment. */
  const sleeper = (env: Record<string, string>, cwd = '/') =>
    spawn('sleep', ['60'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      cwd,
      stdio: 'ignore',
    });

  it('is nothing when the tests clean up', async () => {
    const [directory = ''] = markFile([run], 'tests/tidy.test.ts');
    mkdirSync(join(directory, 'file-of-another-program'));
    expect(await leftovers([run], { graceMs: 0 })).toEqual([]);
    expect(report([passed], []).exitCode).toBe(0);
  });

  it('is a directory, reported with the file of the test that created it', async () => {
    markFile([run], 'tests/tidy.test.ts');
    mkdirSync(join(markFile([run], 'tests/untidy.test.ts')[0] ?? '', 'stoa-work-abc'));
    const left = await leftovers([run], { graceMs: 0 });
    expect(left).toEqual([{ file: 'tests/untidy.test.ts', what: 'the directory stoa-work-abc' }]);
    const { lines, exitCode } = report([passed], left);
    expect(lines).toEqual([
      'left behind by tests/untidy.test.ts: the directory stoa-work-abc, which counts as a failure',
      '7 passed, 1 failed',
    ]);
    expect(exitCode).toBe(1);
  });

  it.skipIf(!existsSync('/proc/self/environ'))(
    'is a process, known by its environment or by where it runs, and ended with the run',
    async () => {
      for (const start of [
        () => sleeper({ STOA_TEST_RUN: run, STOA_TEST_FILE: 'tests/untidy.test.ts' }),
        (directory: string) => sleeper({}, directory),
        (directory: string) => sleeper({ HOME: join(directory, 'home') }),
      ]) {
        mkdirSync(run, { recursive: true });
        const [directory = ''] = markFile([run], 'tests/untidy.test.ts');
        child = start(directory);
        await once(child, 'spawn');
        const left = await leftovers([run], { graceMs: 0 });
        const what = expect.stringMatching(/^process \d+: sleep 60$/) as string;
        expect(left).toEqual([{ file: 'tests/untidy.test.ts', what, pid: child.pid }]);
        const exited = once(child, 'exit');
        await reap([run]);
        expect(await exited).toEqual([null, 'SIGTERM']);
        expect(await leftovers([run], { graceMs: 0 })).toEqual([]);
        expect(existsSync(run)).toBe(false);
      }
    },
  );

  it.skipIf(!existsSync('/proc/self/environ'))(
    'DU-45 is also a process that hides and does not listen, but no process that only names the run',
    async () => {
      // Its child has nothing of the run in its environment, runs elsewhere, and ignores a request to end.
      const deaf = `env -i PATH="$PATH" sh -c 'cd /; trap "" TERM; sleep 60; true'; true`;
      child = spawn('sh', ['-c', `trap "" TERM; ${deaf}`], { cwd: run, stdio: 'ignore' });
      const others = [
        spawn('sh', ['-c', 'read -r line', run], { cwd: '/', env: {}, stdio: 'pipe' }),
        sleeper({ STOA_TEST_RUN: `${run}-other` }),
      ];
      try {
        await until('both shells and the command run', async () => {
          const left = await leftovers([run], { graceMs: 0 });
          return left.length === 3;
        });
        const exited = once(child, 'exit');
        await reap([run], { graceMs: 100 });
        expect(await exited).toEqual([null, 'SIGKILL']);
        expect(await leftovers([run], { graceMs: 0 })).toEqual([]);
        for (const other of others) expect(other.exitCode ?? other.signalCode).toBeNull();
      } finally {
        for (const other of others) other.kill('SIGKILL');
      }
    },
  );

  it('every test file has a temporary directory that names it', () => {
    const marked = process.env['STOA_TEST_RUN'];
    // Without the runner, as in an editor, nothing is marked.
    if (marked === undefined) return;
    expect(tmpdir().startsWith(join(marked, 't'))).toBe(true);
    expect(process.env['STOA_TEST_FILE']).toBe('tests/leftovers.test.ts');
  });
});
