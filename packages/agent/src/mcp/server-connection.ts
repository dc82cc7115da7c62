import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client';
import type { McpServerState } from '@stoa/protocol';
import { type Scrub, scrubber } from '../builtin/scrub.js';
import { ToolFailure } from '../tools/tool-failure.js';
import { type Connected, type ConnectOptions, connect } from './connect.js';
import { UnsetVariable } from './expand-variables.js';
import { serverScrubber, serverSecrets } from './server-secrets.js';

export const MCP_TIMES = {
  /** How long a server may take to connect and list its tools. */
  connectMs: 15_000,
  /** How long a call may take without progress. */
  callMs: 5 * 60_000,
  idleMs: 5 * 60_000,
  firstBackoffMs: 1_000,
  maxBackoffMs: 60_000,
};
export type McpTimes = Readonly<typeof MCP_TIMES>;

export interface ServerConnectionOptions
  extends Omit<ConnectOptions, 'lost' | 'changed' | 'signal' | 'scrub'>,
    McpTimes {
  /** Called when the server goes offline. Must not throw. */
  readonly offline: (reason: string) => void;
}

/**
 * The shared connection to one server:
 *
 *   idle ──use──▶ connecting ──▶ online ──unused for a while──▶ idle
 *                     └──failed──▶ offline ◀──lost──┘
 *                          └──after a growing pause, while it is in use──▶ connecting
 *
 * Nobody waits for a server that is offline: calls fail at once with the reason.
 */
export class ServerConnection {
  #state: McpServerState = 'idle';
  #reason: string | undefined;
  #connected: Connected | undefined;
  #connecting: Promise<void> | undefined;
  #tools: readonly McpTool[] = [];
  #failures = 0;
  #using = 0;
  #usedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  /** Removes secrets from messages about the server. */
  readonly #scrub: Scrub;
  /** Removes secrets from the server's own data. */
  readonly #scrubOutput: <T>(output: T) => T;

  constructor(private readonly options: ServerConnectionOptions) {
    const { config, environment } = options;
    this.#scrub = scrubber(serverSecrets(config, environment).all);
    this.#scrubOutput = serverScrubber(config, environment);
  }

  get state(): McpServerState {
    return this.#state;
  }
  get reason(): string | undefined {
    return this.#reason;
  }
  /** The tools that it offered last. */
  get tools(): readonly McpTool[] {
    return this.#tools;
  }
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Connects if possible. Does not throw: `state` has the result. */
  async ready(): Promise<void> {
    this.#recordUse();
    if (this.#state === 'idle' && !this.#isClosed) this.#connect();
    await this.#connecting;
  }

  /** Calls a tool once. Throws a ToolFailure with what is known about the outcome. */
  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    await this.ready();
    const connected = this.#connected;
    if (!connected) throw new ToolFailure(`The MCP server is offline: ${this.#reason ?? 'closed'}`);
    this.#using += 1;
    const { callMs: timeout } = this.options;
    try {
      const result = await connected.client.callTool(
        { name, arguments: { ...input } },
        { signal, timeout, resetTimeoutOnProgress: true, onprogress: () => undefined },
      );
      return this.#scrubOutput(result);
    } catch (error) {
      signal.throwIfAborted();
      const { text, isLost } = await callFailure(error, this.#scrub);
      if (isLost && this.#connected === connected) this.#lose(text);
      throw new ToolFailure(text);
    } finally {
      this.#using -= 1;
      this.#recordUse();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#connecting;
    await this.#disconnect('idle');
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#state = 'connecting';
    this.#connecting = this.#attempt().finally(() => {
      this.#connecting = undefined;
    });
  }

  async #attempt(): Promise<void> {
    try {
      const connected = await connect({
        ...this.options,
        scrub: this.#scrub,
        signal: this.#closing.signal,
        lost: (reason) => {
          if (this.#connected === connected) this.#lose(reason);
        },
        changed: (tools) => {
          this.#tools = this.#scrubOutput(tools);
        },
      });
      this.#connected = connected;
      this.#tools = this.#scrubOutput(connected.tools);
      this.#state = 'online';
      this.#reason = undefined;
      this.#failures = 0;
      if (this.#isClosed) await this.#disconnect('idle');
      else this.#watchIdle();
    } catch (error) {
      this.#lose(await reasonOf(error, this.#scrub));
    }
  }

  /** Goes offline, and connects again after a pause if the server is still in use. */
  #lose(reason: string): void {
    void this.#disconnect('offline');
    this.#reason = reason;
    if (this.#isClosed) return;
    this.options.offline(reason);
    const { firstBackoffMs, maxBackoffMs } = this.options;
    const wait = Math.min(maxBackoffMs, firstBackoffMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      if (this.#isUnused()) this.#state = 'idle';
      else this.#connect();
    }, wait);
    this.#timer.unref();
  }

  #watchIdle(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#isUnused()) void this.#disconnect('idle');
      else this.#watchIdle();
    }, this.options.idleMs);
    this.#timer.unref();
  }

  #isUnused(): boolean {
    return this.#using === 0 && performance.now() - this.#usedAt >= this.options.idleMs;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #recordUse(): void {
    this.#usedAt = performance.now();
  }

  async #disconnect(state: 'idle' | 'offline'): Promise<void> {
    const connected = this.#connected;
    this.#connected = undefined;
    this.#state = state;
    clearTimeout(this.#timer);
    await connected?.close();
  }
}

interface CallFailure {
  readonly text: string;
  /** Whether the connection is lost. */
  readonly isLost: boolean;
}

/** Explains a call without a result. No call is repeated automatically. */
async function callFailure(error: unknown, scrub: Scrub): Promise<CallFailure> {
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  if (error instanceof ProtocolError) {
    return { text: `The server refused the call: ${scrub(error.message)}`, isLost: false };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return {
      text: 'The server did not answer in time; whether the call happened is unknown.',
      isLost: false,
    };
  }
  const reason = await reasonOf(error, scrub);
  return {
    text: `The connection to the server broke (${reason}); whether the call happened is unknown.`,
    isLost: true,
  };
}

/** The reason of a connection failure, in one line. */
async function reasonOf(error: unknown, scrub: Scrub): Promise<string> {
  if (error instanceof UnsetVariable) return error.message;
  const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return 'it did not answer in time';
  }
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: '' };
  const inner = cause instanceof Error ? (cause as NodeJS.ErrnoException) : undefined;
  const detail = inner?.code ?? inner?.message;
  const whole =
    detail === undefined || message.includes(detail) ? message : `${message} (${detail})`;
  return scrub(whole).replace(/\s+/g, ' ').trim().slice(0, REASON_CHARS).toWellFormed();
}

const REASON_CHARS = 500;
