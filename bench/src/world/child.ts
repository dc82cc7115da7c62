import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Scope } from './scope.js';

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
const KEPT_OUTPUT_CHARS = 10_000;

/** A process that a benchmark started, and that ends with its scope. */
export class Child {
  /** What the first group of `ready` matched. */
  readyText = '';
  #output = '';
  readonly #exited: Promise<void>;

  private constructor(private readonly process: ChildProcess) {
    this.#exited = new Promise((resolve) => {
      process.once('close', () => {
        resolve();
      });
    });
  }

  /** Resolves when it says that it is ready. */
  static async start(scope: Scope, launch: Launch): Promise<Child> {
    const { command, args, env = {}, ready, talks = false } = launch;
    const child = new Child(
      spawn(command, args, {
        env: { ...cleanEnvironment(), ...env },
        stdio: ['ignore', 'pipe', 'pipe', talks ? 'ipc' : 'ignore'],
      }),
    );
    scope.defer(() => child.end());
    await child.#untilReady(ready);
    return child;
  }

  /** Starts one of the programs in `processes/`, which the bundle puts beside this file. */
  static startProgram(scope: Scope, name: string, args: readonly string[] = []): Promise<Child> {
    const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
    const launch = { command: process.execPath, args: [program, ...args], talks: true };
    return Child.start(scope, { ...launch, ready: /^ready(?: at port (\d+))?$/m });
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Sends a message and resolves with the answer; one at a time. */
  ask<T>(message: object): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.#exited.then(() => {
        reject(this.#failure('ended before it answered'));
      });
      this.process.once('message', (answer) => {
        resolve(answer as T);
      });
      this.process.send(message, (error) => {
        if (error) reject(error);
      });
    });
  }

  /** `kill -9`. */
  kill(): void {
    this.process.kill('SIGKILL');
  }

  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGTERM');
    const hardEnd = setTimeout(() => this.process.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.#exited;
    clearTimeout(hardEnd);
  }

  async #untilReady(ready: RegExp): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    try {
      this.readyText = await new Promise<string>((resolve, reject) => {
        limit = setTimeout(() => {
          reject(this.#failure('was not ready in time'));
        }, START_LIMIT_MS);
        this.process.once('error', reject);
        void this.#exited.then(() => {
          reject(this.#failure('ended before it was ready'));
        });
        for (const stream of [this.process.stdout, this.process.stderr]) {
          stream?.setEncoding('utf8').on('data', (chunk: string) => {
            this.#output = (this.#output + chunk).slice(-KEPT_OUTPUT_CHARS);
            const match = ready.exec(this.#output);
            if (match) resolve(match[1] ?? match[0]);
          });
        }
      });
    } finally {
      clearTimeout(limit);
    }
  }

  #failure(why: string): Error {
    return new Error(`${this.process.spawnargs.join(' ')} ${why}:\n${this.#output}`);
  }
}

/**
 * Nothing of the developer's own set-up leaks into a measurement. Certificates that Node is configured to trust
 * are read at each start, which would make every other part of a start look small.
 */
export function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name]) =>
      !/^(STOA_|NODE_OPTIONS|NODE_ENV|NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
