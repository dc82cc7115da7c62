import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage, ReadBuffer, Transport } from '@modelcontextprotocol/client';
import { killProcesses } from '../end-processes.js';
import { findProcesses, signal, startTimeOf } from '../tools/shell/process-tree.js';

export interface ChildTransportOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** From the library, which is loaded on first use. */
  readonly serialize: (message: JSONRPCMessage) => string;
  readonly buffer: ReadBuffer;
  /** Removes the secrets of the server from its output. */
  readonly scrub: (text: string) => string;
}

const MARK = 'STOA_MCP_SERVER';
const EXIT_MS = 500;
const STDERR_CHARS = 2_000;

/**
 * An MCP server as a child process, with one JSON message per line. It leads its own session and process group and has a
 * mark in its environment, so that everything it starts can be found and ended. If the daemon is killed, the input of
 * the server is closed, which ends it.
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
  #exit: string | undefined;
  #startTime: number | undefined;

  constructor(private readonly options: ChildTransportOptions) {}

  /** How it ended, with its last line on stderr; undefined while it runs. */
  get ending(): string | undefined {
    if (this.#exit === undefined) return undefined;
    const lastLine = this.#stderr.trim().split('\n').at(-1)?.trim() ?? '';
    return lastLine === '' ? this.#exit : `${this.#exit}: ${lastLine}`;
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
    if (child.pid !== undefined) this.#startTime = Number(startTimeOf(child.pid)) || undefined;
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, name) => {
        this.#exit = name === null ? `it exited with ${String(code)}` : `it ended by ${name}`;
        resolve();
        void this.close();
      });
      child.once('error', () => {
        if (child.pid === undefined) resolve();
      });
    });
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      // Before the text is cut: a cut secret would not be found.
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
        if (error) void this.#writeError(error).then(reject);
        else resolve();
      });
    });
  }

  /** If the server has ended, the way it ended explains more than the broken pipe. */
  async #writeError(error: Error): Promise<Error> {
    await Promise.race([Promise.all([this.#exited, this.#stderrRead()]), pause(EXIT_MS)]);
    return this.ending === undefined ? error : new Error(this.ending);
  }

  /** Resolves when its whole stderr has been read. */
  #stderrRead(): Promise<void> {
    const stderr = this.#child?.stderr;
    return new Promise((resolve) => {
      if (!stderr || stderr.readableEnded || stderr.destroyed) resolve();
      else stderr.once('close', resolve);
    });
  }

  /** Resolves when all of its processes have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #read(buffer: ReadBuffer, chunk: Buffer): void {
    try {
      buffer.append(chunk);
    } catch (error) {
      // A message is too large: the start of the next one is unknown.
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
        // Not a message: some servers print to stdout.
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
      if (this.#exit === undefined) signal(-leader, 'SIGTERM');
      await Promise.race([this.#exited, pause(EXIT_MS)]);
      await this.#killAll(leader);
      // The last line explains the exit and may arrive after it.
      await Promise.race([this.#stderrRead(), pause(EXIT_MS)]);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
    this.options.buffer.clear();
    this.onclose?.();
  }

  async #killAll(leader: number): Promise<void> {
    const marks = { leader, marker: `${MARK}=${this.#nonce}`, since: this.#startTime };
    const canFind = (await findProcesses(marks)) !== undefined;
    if (canFind) await killProcesses(marks);
    else if (this.#exit === undefined) signal(-leader, 'SIGKILL');
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
