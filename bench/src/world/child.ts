import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Scope } from './scope.js';

export interface Child {
  readonly pid: number;
  /** Sends a message to a program of ours and resolves with its answer. */
  ask<T>(message: unknown): Promise<T>;
  end(): Promise<void>;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints when it can be used; the first group is what the caller gets to know. */
  readonly ready: RegExp;
  /** Whether it takes messages, which only programs of ours do. */
  readonly talks?: boolean;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;

/** Starts a process, waits until it says that it is ready, and ends it with the scope. */
export async function startChild(
  scope: Scope,
  { command, args, env = {}, ready, talks = false }: Launch,
): Promise<{ child: Child; said: string }> {
  const spawned = spawn(command, args, {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', talks ? 'ipc' : 'ignore'],
  });
  const exited = new Promise<void>((resolve) => {
    spawned.once('close', () => {
      resolve();
    });
  });
  const end = async (): Promise<void> => {
    if (spawned.exitCode !== null || spawned.signalCode !== null) return;
    spawned.kill('SIGTERM');
    const hardEnd = setTimeout(() => spawned.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited;
    clearTimeout(hardEnd);
  };
  scope.defer(end);
  const said = await firstMatch(spawned, ready, exited);
  return { child: { pid: spawned.pid ?? 0, ask: (message) => ask(spawned, message), end }, said };
}

/** Starts one of the programs in `processes/`, which the bundle puts beside this file. */
export function startProgram(
  scope: Scope,
  name: string,
  args: readonly string[] = [],
): Promise<{ child: Child; said: string }> {
  const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const launch = { command: process.execPath, args: [program, ...args], talks: true };
  return startChild(scope, { ...launch, ready: /^ready(?: at port (\d+))?$/m });
}

/** Nothing of the developer's own set-up leaks into a measurement. */
export function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(STOA_|NODE_OPTIONS|NODE_ENV|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

function firstMatch(child: ChildProcess, ready: RegExp, exited: Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string): void => {
      reject(new Error(`${child.spawnargs.join(' ')} ${why}:\n${output}`));
    };
    const limit = setTimeout(() => {
      fail('was not ready in time');
    }, START_LIMIT_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-10_000);
        const match = ready.exec(output);
        if (!match) return;
        clearTimeout(limit);
        resolve(match[1] ?? match[0]);
      });
    }
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    void exited.then(() => {
      clearTimeout(limit);
      fail(`ended with ${child.exitCode ?? child.signalCode ?? 'nothing'}`);
    });
  });
}

function ask<T>(child: ChildProcess, message: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (): void => {
      reject(new Error('the process ended before it answered'));
    };
    child.once('close', gone);
    child.once('message', (answer) => {
      child.off('close', gone);
      resolve(answer as T);
    });
    child.send(message as string);
  });
}
