import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leftovers, markFile, removeLeftovers } from '../scripts/leftovers.mjs';
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
    const directory = markFile(run, 'tests/tidy.test.ts');
    mkdirSync(join(directory, 'file-of-another-program'));
    expect(await leftovers(run, { graceMs: 0 })).toEqual([]);
    expect(report([passed], []).exitCode).toBe(0);
  });

  it('is a directory, reported with the test file that made it', async () => {
    markFile(run, 'tests/tidy.test.ts');
    mkdirSync(join(markFile(run, 'tests/untidy.test.ts'), 'stoa-work-abc'));
    const left = await leftovers(run, { graceMs: 0 });
    expect(left).toEqual([{ file: 'tests/untidy.test.ts', what: 'the directory stoa-work-abc' }]);
    const { lines, exitCode } = report([passed], left);
    expect(lines).toEqual([
      'left behind by tests/untidy.test.ts: the directory stoa-work-abc, which counts as a failure',
      '7 passed, 1 failed',
    ]);
    expect(exitCode).toBe(1);
  });

  it.skipIf(!existsSync('/proc/self/environ'))(
    'is a process, known by its environment or by where it runs',
    async () => {
      const directory = markFile(run, 'tests/untidy.test.ts');
      for (const start of [
        () => sleeper({ STOA_TEST_RUN: run, STOA_TEST_FILE: 'tests/untidy.test.ts' }),
        () => sleeper({}, directory),
        () => sleeper({ HOME: join(directory, 'home') }),
      ]) {
        child = start();
        await once(child, 'spawn');
        const left = await leftovers(run, { graceMs: 0 });
        const what = expect.stringMatching(/^process \d+: sleep 60$/) as string;
        expect(left).toEqual([{ file: 'tests/untidy.test.ts', what, pid: child.pid }]);
        removeLeftovers(left);
        await once(child, 'exit');
        expect(await leftovers(run, { graceMs: 0 })).toEqual([]);
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
