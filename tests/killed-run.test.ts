import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, findBrowser, sendSignal, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RUNNER = fileURLToPath(new URL('../scripts/test.mjs', import.meta.url));

/** What tests/planted/busy-run.test.ts starts, as it is in a list of processes. */
const STARTED = [
  /vitest\.mjs run/,
  /\/native\/bin\/postgres -D/,
  /stoa\.js serve/,
  /^sleep 601$/,
  /fake-agent\.mjs/,
  /^sleep 602$/,
  /stoa-mcp-server-\w+\/server\.mjs/,
];
const BROWSER = /--headless .*--remote-debugging-pipe/;

interface Living {
  readonly pid: number;
  readonly parent: number;
  readonly since: string;
  readonly command: string;
}

/** All living processes, by /proc alone: how the runner finds its own is what is tested. */
function living(): Living[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const [state = 'X', parent = ''] = fields;
        if (/[ZX]/.test(state)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
        const since = fields[19] ?? '';
        return [{ pid: Number(name), parent: Number(parent), since, command: command.trim() }];
      } catch {
        // It ended while it was read.
        return [];
      }
    });
}

function descendantsOf(pid: number): Living[] {
  const all = living();
  const below = (parent: number): Living[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

function stillAlive(processes: readonly Living[]): string[] {
  const now = new Map(living().map((one) => [one.pid, one.since]));
  return processes.filter(({ pid, since }) => now.get(pid) === since).map((one) => one.command);
}

/** A run of the real runner, in a process group of its own. */
class PlantedRun {
  readonly #runner: ChildProcess;
  readonly #ready = join(tmpdir(), `ready-${randomUUID()}`);
  readonly ended: Promise<unknown[]>;
  #output = '';
  #started: readonly Living[] = [];
  #directories: readonly string[] = [];

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { STOA_TEST_MEMORY } = process.env;
    this.#runner = spawn(process.execPath, [RUNNER, ...args], {
      env: {
        ...cleanEnvironment(),
        ...(STOA_TEST_MEMORY === undefined ? {} : { STOA_TEST_MEMORY }),
        PLANTED_READY: this.#ready,
        ...env,
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#runner.stdout, this.#runner.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
    this.ended = once(this.#runner, 'exit');
  }

  get pid(): number {
    return this.#runner.pid ?? 0;
  }

  /** A process that it started. */
  pidOf(command: RegExp): number | undefined {
    return this.#started.find((one) => command.test(one.command))?.pid;
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves when everything that the planted test starts is there. */
  async busy(expected = STARTED): Promise<this> {
    const missing = (): RegExp[] => {
      this.#started = descendantsOf(this.pid);
      return expected.filter((one) => !this.#started.some(({ command }) => one.test(command)));
    };
    const isBusy = (): boolean => {
      if (this.#runner.exitCode !== null) throw new Error(this.#output);
      return existsSync(this.#ready) && missing().length === 0;
    };
    await until('the planted test has started everything', isBusy, {
      timeoutMs: 60_000,
      everyMs: 100,
    }).catch((error: unknown) => {
      throw new Error(`${missing().join(' ')} ${this.#output}`, { cause: error });
    });
    this.#directories = readFileSync(this.#ready, 'utf8').split('\n');
    return this;
  }

  /** What there is of it: processes that it started, and directories that it made. */
  left(): string[] {
    return [...stillAlive(this.#started), ...this.#directories.filter((one) => existsSync(one))];
  }

  /** Regardless of the outcome of the test. */
  remove(): void {
    if (this.#runner.exitCode === null) this.#runner.kill('SIGKILL');
    for (const one of this.#started) {
      if (stillAlive([one]).length > 0) sendSignal(one.pid, 'SIGKILL');
    }
    rmSync(this.#ready, { force: true });
  }
}

const BUSY = ['--project', 'planted', 'tests/planted/busy-run.test.ts'];

describe.skipIf(!existsSync('/proc/self/environ'))(
  'a test run that is killed, or finds no browser',
  () => {
    const runs: PlantedRun[] = [];
    const plant = (args: readonly string[], env?: Readonly<Record<string, string>>): PlantedRun => {
      const run = new PlantedRun(args, env);
      runs.push(run);
      return run;
    };
    const gone = (run: PlantedRun): Promise<unknown> =>
      until('nothing of the run is left', () => run.left().length === 0, { everyMs: 50 }).catch(
        () => {
          expect(run.left()).toEqual([]);
        },
      );

    let first: PlantedRun;
    let second: PlantedRun;
    let third: PlantedRun;
    let fourth: PlantedRun;

    beforeAll(async () => {
      const all = findBrowser({}) === undefined ? STARTED : [...STARTED, BROWSER];
      const withoutBrowser = { CI: '', CHROMIUM_PATH: 'off' };
      [first, second, third, fourth] = await Promise.all([
        plant(BUSY).busy(all),
        plant(BUSY).busy(all),
        plant(BUSY, withoutBrowser).busy(),
        plant(BUSY, withoutBrowser).busy(),
      ]);
    });
    afterAll(() => {
      for (const run of runs) run.remove();
    });

    it('DU-45 kill -9 of the runner leaves no process and no directory, and other runs go on', async () => {
      expect(first.left().length).toBeGreaterThan(STARTED.length);
      const others = second.left();
      sendSignal(first.pid, 'SIGKILL');
      await gone(first);
      expect(second.left()).toEqual(others);
    });

    it('DU-45 kill -9 of the whole process group leaves nothing of what had left the group', async () => {
      sendSignal(-second.pid, 'SIGKILL');
      await gone(second);
    });

    it('DU-45 a runner that is asked to end has left nothing when it ends', async () => {
      sendSignal(third.pid, 'SIGTERM');
      expect(await third.ended).toEqual([143, null]);
      expect(third.left()).toEqual([]);
    });

    it('DU-45 a run whose worker is killed with -9 says what it left, and has removed it when it ends', async () => {
      sendSignal(fourth.pidOf(/vitest\/dist\/workers/), 'SIGKILL');
      expect(await fourth.ended).toEqual([1, null]);
      expect(fourth.output).toMatch(
        /left behind by tests\/planted\/.*stoa\.js serve, which counts/,
      );
      expect(fourth.left()).toEqual([]);
    });

    it('DU-45 without a browser the tests of the web UI are skipped, or fail, and leave no daemon', async () => {
      const skipping = plant(['--project', 'web'], { CI: '', CHROMIUM_PATH: 'off' });
      const failing = plant(['tests/web/login.test.ts'], { CHROMIUM_PATH: '/nowhere/chromium' });
      expect(await skipping.ended, skipping.output).toEqual([0, null]);
      expect(skipping.output).toMatch(/^skipped: .*: no Chromium here/m);
      expect(await failing.ended, failing.output).toEqual([1, null]);
      expect(failing.output).toContain("executable doesn't exist at /nowhere/chromium");
      for (const { output } of [skipping, failing]) expect(output).not.toContain('left behind');
    });
  },
);
