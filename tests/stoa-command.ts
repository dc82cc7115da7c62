import { type ChildProcess, spawn } from 'node:child_process';
import { cleanEnvironment, PROGRAM, type TestDaemon } from '@stoa/testkit';

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** The program to run, if it is not the one of this tree. */
  readonly program?: string;
}

/** Runs the real `stoa` to its end. */
export async function stoa(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Outcome> {
  const running = start(args, options);
  const code = await running.ended;
  return { code, ...running.output() };
}

export interface RunningCommand {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): { out: string; err: string };
}

export function start(args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [options.program ?? PROGRAM, ...args], {
    env: { ...cleanEnvironment(), ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  // A command that ends early does not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, ended, output: () => output };
}

/** The command line of the owner of this daemon. */
export function ownerOf(daemon: TestDaemon) {
  return async (args: readonly string[], options: CommandOptions = {}): Promise<Outcome> =>
    stoa(args, { ...options, env: { STOA_HOME: daemon.home, ...options.env } });
}

/** Output of a command that must succeed, read as JSON. */
export async function json<T>(outcome: Promise<Outcome>): Promise<T> {
  const { code, out, err } = await outcome;
  if (code !== 0) throw new Error(`ended with ${String(code)}: ${err}${out}`);
  return JSON.parse(out) as T;
}
