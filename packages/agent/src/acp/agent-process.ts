import type { ChildProcess } from 'node:child_process';
import {
  type ClientConnection,
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { Timers } from '@stoa/core';
import { z } from 'zod';
import { type Scrub, scrubber } from '../builtin/scrub.js';
import { startTimeOf } from '../tools/shell/process-tree.js';
import type { Sandbox } from '../tools/shell/sandbox.js';
import { AcpFailure } from './acp-failure.js';
import { AgentCalls } from './agent-calls.js';
import type { AgentProgram } from './agent-program.js';
import {
  type AgentCapabilities,
  Initialized,
  PermissionRequest,
  ReadFileRequest,
  WriteFileRequest,
} from './answers.js';
import { endProcesses } from './end-processes.js';
import { inWords } from './in-words.js';
import { messageStream, STREAM_LIMITS, type StreamLimits } from './message-stream.js';
import { newServerName } from './own-server.js';
import { familyOf, type Relative } from './process-family.js';
import { spawnProgram } from './spawn-program.js';
import { within } from './within.js';

export interface ProcessPorts {
  readonly sandbox: Sandbox;
  readonly timers: Timers;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Told of what is worth a line in the log. Must not throw. */
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly limits?: Partial<StreamLimits>;
  readonly startMs: number;
}

/** Who is asked when a program speaks of one of its sessions. */
export interface SessionListener {
  update(update: unknown): void;
  permission(request: PermissionRequest): Promise<RequestPermissionResponse>;
  readTextFile(request: ReadFileRequest): Promise<{ content: string }>;
  writeTextFile(request: WriteFileRequest): Promise<void>;
}

/** As many sessions have names of their own; then they are used again. */
const SERVER_NAMES = 64;
const STDERR_CHARS = 16_384;
const TOLD_CHARS = 1_000;
/** How long the pipes may take to run dry after the program has ended. */
const DRAIN_MS = 200;
const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * A running agent program and the connection to it.
 *
 *   starting ──initialize answered──▶ up ──exit, flood, garbage, no answer, stop──▶ ended
 *
 * Ended is for good: nothing of it is left running when `gone` resolves.
 */
export class AgentProcess {
  readonly #stderr = new TextTail(STDERR_CHARS);
  readonly #listeners = new Map<string, SessionListener>();
  readonly #connection: ClientConnection;
  readonly #exited: Promise<string>;
  /** Takes the secrets that it and its sessions were given out of a text. */
  readonly scrub = (text: string): string => this.#scrub(text);
  readonly #secrets: string[];
  #scrub: Scrub;
  readonly calls: AgentCalls;
  /** Resolves with why it ended; undefined when it was stopped. */
  readonly ended: Promise<AcpFailure | undefined>;
  /** Resolves when no process of it is left. */
  readonly gone: Promise<void>;
  #end!: (failure: AcpFailure | undefined) => void;
  #hasEnded = false;
  /** Nothing older can be a process of it. */
  readonly #since: number | undefined;
  #heardAt: number;
  /** How many sessions were opened in it. */
  #sessions = 0;
  #capabilities: AgentCapabilities = {};
  /** It answered `session/load` before it had said again all that was said. */
  replaysLate = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly program: AgentProgram,
    private readonly ports: ProcessPorts,
    private readonly mark: string,
    private readonly serverNames: readonly string[],
  ) {
    this.#heardAt = ports.now();
    const since = child.pid === undefined ? undefined : startTimeOf(child.pid);
    this.#since = since === undefined ? undefined : Number(since);
    this.#secrets = [...program.secrets];
    this.#scrub = scrubber(this.#secrets);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#exited = this.#watch();
    this.#connection = this.#connect();
    this.calls = new AgentCalls(this.#connection.agent, this.ended, ports.timers);
    this.gone = this.ended.then(() => this.#clear());
    void this.#exited.then((how) => {
      this.#close(new AcpFailure('acp_exited', this.#withStderr(`${program.name} ended (${how})`)));
    });
  }

  /** Starts a program and waits until it is ready, unless it is called off. Throws AcpFailure. */
  static async start(
    program: AgentProgram,
    ports: ProcessPorts,
    signal: AbortSignal,
  ): Promise<AgentProcess> {
    const serverNames = Array.from({ length: SERVER_NAMES }, newServerName);
    const { child, mark } = await spawnProgram(program, serverNames, ports.sandbox);
    const started = new AgentProcess(child, program, ports, mark, serverNames);
    const callOff = (): void => {
      started.#close(undefined);
    };
    signal.addEventListener('abort', callOff, { once: true });
    try {
      signal.throwIfAborted();
      await started.#initialize();
      return started;
    } catch (error) {
      const failure = (await within(ports.timers, DRAIN_MS, started.ended))?.value;
      await started.stop();
      throw failure ?? inWords(started, error);
    } finally {
      signal.removeEventListener('abort', callOff);
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get capabilities(): AgentCapabilities {
    return this.#capabilities;
  }

  /** What nobody is to read in what it says. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** It was given these too. Returns what ends that. */
  keepSecret(secrets: readonly string[]): () => void {
    this.#secrets.push(...secrets);
    this.#scrub = scrubber(this.#secrets);
    return () => {
      for (const secret of secrets) this.#secrets.splice(this.#secrets.indexOf(secret), 1);
      this.#scrub = scrubber(this.#secrets);
    };
  }

  /** The name of Stoa's own MCP server for the next session; the program got all of them when it started. */
  nextServerName(): string {
    const name = this.serverNames[this.#sessions % this.serverNames.length];
    this.#sessions += 1;
    return name ?? newServerName();
  }

  /** Gives what the program says of a session to this listener. Returns what ends that. */
  listen(agentSessionId: string, listener: SessionListener): () => void {
    this.#listeners.set(agentSessionId, listener);
    return () => {
      if (this.#listeners.get(agentSessionId) === listener) this.#listeners.delete(agentSessionId);
    };
  }

  /** Whether it says anything at all within this time; every program answers what it does not know. */
  async isAnswering(milliseconds: number): Promise<boolean> {
    const asked = this.ports.now();
    const answer = this.calls.request(z.unknown(), '_stoa/ping', {}).then(
      () => true,
      (error: unknown) => error instanceof RequestError,
    );
    const answered = await within(this.ports.timers, milliseconds, answer);
    return answered?.value ?? this.#heardAt > asked;
  }

  /** Its living processes, but for its guard. */
  async family(): Promise<readonly Relative[]> {
    const { pid } = this;
    return pid === undefined ? [] : familyOf({ leader: pid, mark: this.mark });
  }

  /** How many sessions were opened in it so far. */
  get opened(): number {
    return this.#sessions;
  }

  /** How many turns it serves. */
  get turns(): number {
    return this.#listeners.size;
  }

  /** Ends it because of what it did. */
  fail(failure: AcpFailure): void {
    this.#close(failure);
  }

  async stop(): Promise<void> {
    this.#close(undefined);
    await this.gone;
  }

  async #initialize(): Promise<void> {
    const { startMs } = this.ports;
    const { initialize, authenticate } = methods.agent;
    const hasFiles = this.program.takesFileCallbacks;
    const answer = await this.calls.within(startMs, Initialized, initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: hasFiles, writeTextFile: hasFiles },
        terminal: false,
      },
      clientInfo: { name: 'stoa', title: 'Stoa', version: '1' },
    });
    if (answer.protocolVersion !== PROTOCOL_VERSION) {
      const words = `${this.program.name} speaks version ${String(answer.protocolVersion)} of the protocol, not ${String(PROTOCOL_VERSION)}`;
      throw new AcpFailure('acp_protocol_error', words);
    }
    this.#capabilities = answer.agentCapabilities ?? {};
    const { loginMethod } = this.program;
    if (loginMethod !== undefined) {
      const login = { methodId: loginMethod };
      await this.calls.within(startMs, z.unknown(), authenticate, login);
    }
  }

  #connect(): ClientConnection {
    const { stdin, stdout } = this.child;
    if (!stdin || !stdout) throw new Error('an agent program was started without its pipes');
    // What happens to the pipes shows in how the program ends.
    stdin.on('error', () => undefined);
    const stream = messageStream(
      { stdin, stdout },
      { ...STREAM_LIMITS, ...this.ports.limits },
      {
        now: this.ports.now,
        heard: () => {
          this.#heardAt = this.ports.now();
        },
        update: (params) => {
          const { sessionId, update } = anything(params);
          if (typeof sessionId === 'string') this.#listeners.get(sessionId)?.update(update);
        },
        stray: (line) => {
          this.#stderr.add(`${line}\n`);
        },
        failed: ({ code, message }) => {
          this.#close(new AcpFailure(code, `${this.program.name}: ${this.scrub(message)}`));
        },
      },
    );
    return client({ name: 'stoa' })
      .onRequest(methods.client.session.requestPermission, PermissionRequest, ({ params }) => {
        const listener = this.#listeners.get(params.sessionId);
        return listener ? listener.permission(params) : CANCELLED;
      })
      .onRequest(methods.client.fs.readTextFile, ReadFileRequest, ({ params }) =>
        this.#listenerOf(params.sessionId).readTextFile(params),
      )
      .onRequest(methods.client.fs.writeTextFile, WriteFileRequest, async ({ params }) => {
        await this.#listenerOf(params.sessionId).writeTextFile(params);
        return {};
      })
      .connect(stream);
  }

  #listenerOf(agentSessionId: string): SessionListener {
    const listener = this.#listeners.get(agentSessionId);
    if (!listener) throw RequestError.sessionNotFound(agentSessionId);
    return listener;
  }

  /** Resolves with how it exited. */
  #watch(): Promise<string> {
    const { child } = this;
    child.stderr?.setEncoding('utf8');
    child.stderr?.on('data', (text: string) => {
      this.#stderr.add(text);
    });
    for (const pipe of [child.stderr, child.stdio[3]]) pipe?.on('error', () => undefined);
    return new Promise((resolve) => {
      child.once('error', (error) => {
        resolve(error.message);
      });
      child.once('exit', (code, signal) => {
        const how = code === null ? `signal ${String(signal)}` : `exit status ${String(code)}`;
        const closed = new Promise<void>((done) => child.once('close', done));
        void within(this.ports.timers, DRAIN_MS, closed).then(() => {
          resolve(how);
        });
      });
    });
  }

  #close(failure: AcpFailure | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (failure) {
      const { code, message } = failure;
      const { pid } = this;
      this.ports.diagnose('an agent program ended', { code, message, pid });
    }
    this.#end(failure);
    this.#connection.close(failure);
  }

  async #clear(): Promise<void> {
    const { pid } = this;
    this.child.stdin?.end();
    if (pid === undefined) return;
    const marks = { leader: pid, marker: this.mark, since: this.#since };
    const { kind } = await this.ports.sandbox.report();
    const isLeft = await endProcesses(marks, {
      timers: this.ports.timers,
      exited: this.#exited,
      // A sandbox would die of it and take the program with it at once.
      isGroupTold: kind === 'none',
    });
    if (isLeft) this.ports.diagnose('processes of an agent program are left', { pid });
  }

  #withStderr(words: string): string {
    const tail = this.scrub(this.#stderr.text).trim().slice(-TOLD_CHARS).toWellFormed();
    return tail === '' ? words : `${words}: ${tail}`;
  }
}

const anything = (params: unknown): { readonly sessionId?: unknown; readonly update?: unknown } =>
  typeof params === 'object' && params !== null ? params : {};

/** Keeps the end of what is written to it. */
class TextTail {
  #text = '';

  constructor(private readonly chars: number) {}

  add(text: string): void {
    this.#text = (this.#text + text).slice(-this.chars);
  }

  get text(): string {
    return this.#text.toWellFormed();
  }
}
