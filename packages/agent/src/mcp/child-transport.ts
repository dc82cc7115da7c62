import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage, ReadBuffer, Transport } from '@modelcontextprotocol/client';
import { findProcesses, signal, startTimeOf } from '../tools/shell/process-tree.js';

export interface ChildTransportOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** From the library, which is loaded late. */
  readonly serialize: (message: JSONRPCMessage) => string;
  readonly buffer: ReadBuffer;
  /** Takes out of what it says what it was given. */
  readonly scrub: (text: string) => string;
}

const MARK = 'STOA_MCP_SERVER';
const EXIT_MS = 500;
const KILL_MS = 5_000;
const LOOK_MS = 10;
const STDERR_CHARS = 2_000;

/**
 * An MCP server as a child: one JSON message a line, in and out. It leads a session and group of its
 * own and carries a mark, so that whatever it starts can be found and ended with it. It ends with the
 * daemon also when that is killed: its input is then closed, which is how these servers are told.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #nonce = randomBytes(16).toString('hex');
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #stderr = '';
  #ended: string | undefined;
  #since: number | undefined;

  constructor(private readonly options: ChildTransportOptions) {}

  /** How it ended and what it said last, in words; undefined while it runs. */
  get ending(): string | undefined {
    if (this.#ended === undefined) return undefined;
    const said = this.#stderr.trim().split('\n').at(-1)?.trim() ?? '';
    return said === '' ? this.#ended : `${this.#ended}: ${said}`;
  }

  start(): Promise<void> {
    const { argv, cwd, environment, buffer } = this.options;
    const [program = '', ...rest] = argv;
    const child = spawn(program, rest, {
      cwd,
      env: { ...environment, [MARK]: this.#nonce },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    if (child.pid !== undefined) this.#since = Number(startTimeOf(child.pid)) || undefined;
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, name) => {
        this.#ended = name === null ? `it exited with ${String(code)}` : `it ended by ${name}`;
        resolve();
        void this.close();
      });
      child.once('error', () => {
        if (child.pid === undefined) resolve();
      });
    });
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      // Before it is cut: a part of a secret would not be found any more.
      this.#stderr = this.options.scrub(this.#stderr + chunk).slice(-STDERR_CHARS);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      this.#read(buffer, chunk);
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input?.writable) return Promise.reject(new Error(this.ending ?? 'it takes no input'));
    return new Promise((resolve, reject) => {
      input.write(this.options.serialize(message), (error) => {
        if (error) void this.#whyUnwritable(error).then(reject);
        else resolve();
      });
    });
  }

  /** A server that is gone takes no input: how it ended says more than the broken pipe. */
  async #whyUnwritable(error: Error): Promise<Error> {
    await Promise.race([Promise.all([this.#exited, this.#stderrRead()]), pause(EXIT_MS)]);
    return this.ending === undefined ? error : new Error(this.ending);
  }

  /** Resolves when all that it wrote to its standard error was read. */
  #stderrRead(): Promise<void> {
    const stderr = this.#child?.stderr;
    return new Promise((resolve) => {
      if (!stderr || stderr.readableEnded || stderr.destroyed) resolve();
      else stderr.once('close', resolve);
    });
  }

  /** Resolves when no process of it is left. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #read(buffer: ReadBuffer, chunk: Buffer): void {
    try {
      buffer.append(chunk);
    } catch (error) {
      // One message beyond all measure: there is no finding the next.
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message; servers print to where they should not.
        this.onerror?.(error as Error);
      }
    }
  }

  async #end(): Promise<void> {
    const child = this.#child;
    const leader = child?.pid;
    if (child && leader !== undefined) {
      child.stdin?.end();
      await Promise.race([this.#exited, pause(EXIT_MS)]);
      if (this.#ended === undefined) signal(-leader, 'SIGTERM');
      await Promise.race([this.#exited, pause(EXIT_MS)]);
      await this.#killAll(leader);
      // The last line says why it ended, and may arrive after its exit.
      await Promise.race([this.#stderrRead(), pause(EXIT_MS)]);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
    this.options.buffer.clear();
    this.onclose?.();
  }

  /** Until none is left: a process may have started another while it was looked for. */
  async #killAll(leader: number): Promise<void> {
    const deadline = performance.now() + KILL_MS;
    const marks = { leader, marker: `${MARK}=${this.#nonce}`, since: this.#since };
    while (performance.now() < deadline) {
      const found = await findProcesses(marks);
      if (!found && this.#ended === undefined) signal(-leader, 'SIGKILL');
      if (!found || found.length === 0) return;
      for (const { pid } of found) signal(pid, 'SIGKILL');
      await pause(LOOK_MS);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
