import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryDirectory } from '../engines/memory-directory.js';
import { assertIntact } from './integrity.js';

export const PROGRAM = fileURLToPath(new URL('../../../cli/dist/stoa.js', import.meta.url));

export interface StartOptions {
  /** A data directory to use again; otherwise a new one, removed by `cleanUp`. */
  readonly home?: string;
  /** Text of `stoa.yaml`. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The program to start, if it is not the one of this tree. */
  readonly program?: string;
  /** A command to put before the program, such as a tracer. */
  readonly wrapper?: readonly string[];
  readonly timeoutMs?: number;
  /**
   * Whether the tables are held against a replay of the logs when the test is over and the daemon
   * still runs, which is so unless a test says otherwise: because it spoilt them, or wrote so much
   * that the check takes longer than the test.
   */
  readonly checkAtEnd?: boolean;
}

export interface TestDaemon {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly home: string;
  readonly pid: number;
  readonly loginUrl: string;
  /** Everything it printed so far. */
  output(): { stdout: string; stderr: string };
  /** Ends it as an operator would; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  exited(): Promise<number | null>;
  /** Runs the check that `checkAtEnd` names if the daemon still runs; throws the problems. */
  checkAtEnd(): Promise<void>;
  /** Checks and kills what still runs, and removes the data directory. */
  cleanUp(): Promise<void>;
}

export class StartFailure extends Error {
  constructor(
    readonly code: number | null,
    readonly stdout: string,
    readonly stderr: string,
  ) {
    super(`the daemon ended with ${String(code)} before it was ready:\n${stderr}`);
  }
}

/** Starts the real program as its own process on a free port and waits until it says it is ready. */
export async function startDaemon(options: StartOptions = {}): Promise<TestDaemon> {
  const home = options.home ?? mkdtempSync(join(memoryDirectory() ?? tmpdir(), 'stoa-test-'));
  if (options.config !== undefined) writeFileSync(join(home, 'stoa.yaml'), options.config);
  const [program, ...rest] = options.wrapper ?? [];
  const own = [options.program ?? PROGRAM, 'serve', ...(options.args ?? [])];
  const command = program ?? process.execPath;
  const child = spawn(command, program === undefined ? own : [...rest, process.execPath, ...own], {
    // What is made at a first start is for newcomers; a test begins with nothing, and as fast.
    env: {
      ...cleanEnvironment(),
      STOA_HOME: home,
      STOA_PORT: '0',
      STOA_LOBBY: 'off',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      resolve(code);
    });
  });
  const url = await ready(child, output, exited, options.timeoutMs ?? 30_000).catch(
    (error: unknown) => {
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
      throw error;
    },
  );
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const gone = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (isRunning()) child.kill(signal);
    return exited;
  };
  const checkAtEnd = async (): Promise<void> => {
    if (isRunning() && options.checkAtEnd !== false) await assertIntact({ url, token });
  };
  return {
    url,
    port: Number(new URL(url).port),
    token,
    home,
    pid: child.pid ?? 0,
    loginUrl: /http\S+\/login\?code=\S+/.exec(output().stdout)?.[0] ?? '',
    output,
    exited: () => exited,
    stop: (signal = 'SIGTERM') => gone(signal),
    async kill() {
      await gone('SIGKILL');
    },
    checkAtEnd,
    async cleanUp() {
      try {
        await checkAtEnd();
      } finally {
        await gone('SIGKILL');
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}

/** Nothing of the developer's own set-up leaks into a test. */
export function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(STOA_|VITEST|NODE_OPTIONS|NODE_ENV|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  const text = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
  return () => text;
}

async function ready(
  child: ChildProcess,
  output: () => { stdout: string; stderr: string },
  exited: Promise<number | null>,
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the daemon was not ready in time:\n${output().stderr}`));
    }, timeoutMs);
    const look = (): void => {
      const url = /Stoa is ready at (\S+)\nLog in with \S+\n/.exec(output().stdout)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', look);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new StartFailure(code, output().stdout, output().stderr));
    });
  });
}
