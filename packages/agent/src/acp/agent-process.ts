import type { ChildProcess } from 'node:child_process';
import {
  type ClientConnection,
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { Diagnose, Timers } from '@stoa/core';
import { z } from 'zod';
import { type Scrub, scrubber } from '../builtin/scrub.js';
import { endProcesses } from '../end-processes.js';
import { startTimeOf } from '../tools/shell/process-tree.js';
import type { Sandbox } from '../tools/shell/sandbox.js';
import { within } from '../within.js';
import { AcpFailure, asAcpFailure } from './acp-failure.js';
import type { AcpLimits } from './acp-limits.js';
import type { AgentProgram } from './agent-program.js';
import {
  type AgentCapabilities,
  Initialized,
  PermissionRequest,
  ReadFileRequest,
  readAnswer,
  WriteFileRequest,
} from './answers.js';
import { type Descendant, descendantsOf } from './descendants.js';
import { messageStream } from './message-stream.js';
import { newServerName } from './session-servers.js';
import { spawnProgram } from './spawn-program.js';

export interface ProcessPorts {
  readonly sandbox: Sandbox;
  readonly timers: Timers;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Writes a line to the log. Must not throw. */
  readonly diagnose: Diagnose;
  readonly limits: AcpLimits;
}

/** Receives the notifications and requests of one session of a program. */
export interface SessionListener {
  update(update: unknown): void;
  permission(request: PermissionRequest): Promise<RequestPermissionResponse>;
  readTextFile(request: ReadFileRequest): Promise<{ content: string }>;
  writeTextFile(request: WriteFileRequest): Promise<void>;
}

/** How many sessions get distinct names for Stoa's MCP server before the names repeat. */
const SERVER_NAMES = 64;
const STDERR_CHARS = 16_384;
const STDERR_MESSAGE_CHARS = 1_000;
/** How long to wait for buffered output after the program has ended. */
const DRAIN_MS = 200;
const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * A running agent program and the connection to it.
 *
 *   starting ──initialize answered──▶ up ──exit, flood, garbage, no answer, stop──▶ ended
 *
 * An ended program is not restarted. No process of it runs any more when `gone` resolves.
 */
export class AgentProcess {
  /** The end of its stderr and of its invalid output. */
  #stderr = '';
  readonly #listeners = new Map<string, SessionListener>();
  readonly #connection: ClientConnection;
  readonly #exited: Promise<string>;
  /** Removes the secrets of the program and its sessions from a text. */
  readonly scrub = (text: string): string => this.#scrub(text);
  readonly #secrets: string[];
  #scrub: Scrub;
  /** Resolves with the failure that ended it; undefined if it was stopped. */
  readonly ended: Promise<AcpFailure | undefined>;
  /** Resolves when none of its processes runs. */
  readonly gone: Promise<void>;
  #end!: (failure: AcpFailure | undefined) => void;
  #hasEnded = false;
  /** When the guard started: older processes are not its descendants. */
  readonly #since: number | undefined;
  #lastMessageAt: number;
  #openedSessions = 0;
  #capabilities: AgentCapabilities = {};
  /** It answered `session/load` before it had replayed the whole session. */
  replaysLate = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly program: AgentProgram,
    private readonly ports: ProcessPorts,
    private readonly mark: string,
    private readonly serverNames: readonly string[],
  ) {
    this.#lastMessageAt = ports.now();
    const since = child.pid === undefined ? undefined : startTimeOf(child.pid);
    this.#since = since === undefined ? undefined : Number(since);
    this.#secrets = [...program.secrets];
    this.#scrub = scrubber(this.#secrets);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#exited = this.#watch();
    this.#connection = this.#connect();
    this.gone = this.ended.then(() => this.#endProcesses());
    void this.#exited.then((how) => {
      this.end(new AcpFailure('acp_exited', this.#withStderr(`${program.name} ended (${how})`)));
    });
  }

  /** Starts a program and waits until it is ready, unless the signal aborts. Throws AcpFailure. */
  static async start(
    program: AgentProgram,
    ports: ProcessPorts,
    signal: AbortSignal,
  ): Promise<AgentProcess> {
    const serverNames = Array.from({ length: SERVER_NAMES }, newServerName);
    const { child, mark } = await spawnProgram(program, serverNames, ports.sandbox);
    const started = new AgentProcess(child, program, ports, mark, serverNames);
    const abort = (): void => {
      started.end();
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      await started.#initialize();
      return started;
    } catch (error) {
      const failure = (await within(ports.timers, DRAIN_MS, started.ended))?.value;
      await started.stop();
      throw failure ?? asAcpFailure(started, error);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get capabilities(): AgentCapabilities {
    return this.#capabilities;
  }

  /** Values that must not appear in its output. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** Also treats these values as secrets, until the returned function is called. */
  keepSecret(secrets: readonly string[]): () => void {
    this.#secrets.push(...secrets);
    this.#scrub = scrubber(this.#secrets);
    return () => {
      for (const secret of secrets) this.#secrets.splice(this.#secrets.indexOf(secret), 1);
      this.#scrub = scrubber(this.#secrets);
    };
  }

  /** The name of Stoa's own MCP server in the next session; the program knows all of them from its start. */
  nextServerName(): string {
    const name = this.serverNames[this.#openedSessions % this.serverNames.length];
    this.#openedSessions += 1;
    return name ?? newServerName();
  }

  /** Sends the messages about a session to this listener, until the returned function is called. */
  listen(agentSessionId: string, listener: SessionListener): () => void {
    this.#listeners.set(agentSessionId, listener);
    return () => {
      if (this.#listeners.get(agentSessionId) === listener) this.#listeners.delete(agentSessionId);
    };
  }

  /**
   * Sends a request. Rejects with the failure that ended the program, with a RequestError if the program answered with
   * an error, and with AcpFailure if the answer is invalid.
   */
  async request<T>(schema: z.ZodType<T>, method: string, params: unknown): Promise<T> {
    let answer: unknown;
    try {
      answer = await this.#connection.agent.request(method, params);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw (await this.ended) ?? new AcpFailure('acp_exited', 'It was stopped');
    }
    return readAnswer(schema, method, answer);
  }

  /** Sends a request that must be answered in time. */
  async requestWithin<T>(
    milliseconds: number,
    schema: z.ZodType<T>,
    method: string,
    params: unknown,
  ): Promise<T> {
    const request = this.request(schema, method, params);
    const answer = await within(this.ports.timers, milliseconds, request);
    if (answer) return answer.value;
    const seconds = String(Math.round(milliseconds / 1_000));
    throw new AcpFailure('acp_timeout', `It did not answer ${method} within ${seconds} seconds`);
  }

  /** Sends a notification; whether it arrives is not known. */
  notify(method: string, params: unknown): void {
    this.#connection.agent.notify(method, params).catch(() => undefined);
  }

  /** Whether it sends any message in time; every program answers an unknown method with an error. */
  async isAnswering(milliseconds: number): Promise<boolean> {
    const asked = this.ports.now();
    const answer = this.request(z.unknown(), '_stoa/ping', {}).then(
      () => true,
      (error: unknown) => error instanceof RequestError,
    );
    const answered = await within(this.ports.timers, milliseconds, answer);
    return answered?.value ?? this.#lastMessageAt > asked;
  }

  /** Its running processes without the guard. */
  async descendants(): Promise<readonly Descendant[]> {
    const { pid } = this.child;
    return pid === undefined ? [] : descendantsOf({ leader: pid, mark: this.mark });
  }

  get openedSessions(): number {
    return this.#openedSessions;
  }

  get openTurns(): number {
    return this.#listeners.size;
  }

  async stop(): Promise<void> {
    this.end();
    await this.gone;
  }

  async #initialize(): Promise<void> {
    const { startMs } = this.ports.limits;
    const { initialize, authenticate } = methods.agent;
    const hasFiles = this.program.takesFileCallbacks;
    const answer = await this.requestWithin(startMs, Initialized, initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: hasFiles, writeTextFile: hasFiles },
        terminal: false,
      },
      clientInfo: { name: 'stoa', title: 'Stoa', version: '1' },
    });
    if (answer.protocolVersion !== PROTOCOL_VERSION) {
      const message = `${this.program.name} speaks version ${String(answer.protocolVersion)} of the protocol, not ${String(PROTOCOL_VERSION)}`;
      throw new AcpFailure('acp_protocol_error', message);
    }
    this.#capabilities = answer.agentCapabilities ?? {};
    const { loginMethod } = this.program;
    if (loginMethod !== undefined) {
      const login = { methodId: loginMethod };
      await this.requestWithin(startMs, z.unknown(), authenticate, login);
    }
  }

  #connect(): ClientConnection {
    const { stdin, stdout } = this.child;
    if (!stdin || !stdout) throw new Error('an agent program was started without its pipes');
    // A broken pipe shows in how the program ends.
    stdin.on('error', () => undefined);
    const stream = messageStream({ stdin, stdout }, this.ports.limits.stream, {
      now: this.ports.now,
      received: () => {
        this.#lastMessageAt = this.ports.now();
      },
      update: (params) => {
        const { sessionId, update } = fieldsOf(params);
        if (typeof sessionId === 'string') this.#listeners.get(sessionId)?.update(update);
      },
      invalidLine: (line) => {
        this.#addStderr(`${line}\n`);
      },
      failed: ({ code, message }) => {
        this.end(new AcpFailure(code, `${this.program.name}: ${this.scrub(message)}`));
      },
    });
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

  /** Resolves with a description of its exit. */
  #watch(): Promise<string> {
    const { child } = this;
    child.stderr?.setEncoding('utf8');
    child.stderr?.on('data', (text: string) => {
      this.#addStderr(text);
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

  end(failure?: AcpFailure): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (failure) {
      const { code, message } = failure;
      const { pid } = this.child;
      this.ports.diagnose('an agent program ended', { code, message, pid });
    }
    this.#end(failure);
    this.#connection.close(failure);
  }

  async #endProcesses(): Promise<void> {
    const { pid } = this.child;
    this.child.stdin?.end();
    if (pid === undefined) return;
    const marks = { leader: pid, marker: this.mark, since: this.#since };
    const { kind } = await this.ports.sandbox.report();
    const isLeft = await endProcesses(marks, {
      timers: this.ports.timers,
      exited: this.#exited,
      // The signal would end a sandbox, which kills the program at once.
      signalsGroup: kind === 'none',
    });
    if (isLeft) this.ports.diagnose('processes of an agent program still run', { pid });
  }

  #addStderr(text: string): void {
    this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
  }

  #withStderr(message: string): string {
    const tail = this.scrub(this.#stderr.toWellFormed())
      .trim()
      .slice(-STDERR_MESSAGE_CHARS)
      .toWellFormed();
    return tail === '' ? message : `${message}: ${tail}`;
  }
}

const fieldsOf = (params: unknown): { readonly sessionId?: unknown; readonly update?: unknown } =>
  typeof params === 'object' && params !== null ? params : {};
