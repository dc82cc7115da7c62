import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client';
import type { McpServerState } from '@stoa/protocol';
import { type Scrub, scrubber } from '../builtin/scrub.js';
import { ToolFailure } from '../tools/tool-failure.js';
import { type Connected, type ConnectOptions, connect } from './connect.js';
import { UnsetVariable } from './expand-variables.js';
import { serverScrubber, serverSecrets } from './server-secrets.js';

export interface ServerConnectionOptions
  extends Omit<ConnectOptions, 'gone' | 'changed' | 'signal' | 'scrub'> {
  readonly idleMs: number;
  readonly backoffMs: { readonly first: number; readonly most: number };
  readonly callMs: number;
  /** Told when it goes offline. Must not throw. */
  readonly offline: (reason: string) => void;
}

/**
 * One server, for who shares it:
 *
 *   idle ──use──▶ connecting ──▶ online ──unused for a while──▶ idle
 *                     └──failed──▶ offline ◀──gone──┘
 *                          └──after a pause that grows, while it is used──▶ connecting
 *
 * It is never in the way: who uses it while it is offline is told so, and goes on without it.
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
  readonly #ends = new AbortController();
  /** For what is said about the server, and for what it says itself. */
  readonly #scrub: Scrub;
  readonly #scrubSaid: <T>(said: T) => T;

  constructor(private readonly options: ServerConnectionOptions) {
    const { config, environment } = options;
    this.#scrub = scrubber(serverSecrets(config, environment).given);
    this.#scrubSaid = serverScrubber(config, environment);
  }

  get state(): McpServerState {
    return this.#state;
  }
  get reason(): string | undefined {
    return this.#reason;
  }
  /** As it offered them last. */
  get tools(): readonly McpTool[] {
    return this.#tools;
  }
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Makes it ready, where that can be done now. Does not throw: the state says what came of it. */
  async ready(): Promise<void> {
    this.#touch();
    if (this.#state === 'idle' && !this.#isClosed) this.#connect();
    await this.#connecting;
  }

  /** Calls a tool once. Throws a ToolFailure that says what is known of the outcome. */
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
      return this.#scrubSaid(result);
    } catch (error) {
      signal.throwIfAborted();
      const { text, isGone } = await outcomeOfFailure(error, this.#scrub);
      if (isGone && this.#connected === connected) this.#lose(text);
      throw new ToolFailure(text);
    } finally {
      this.#using -= 1;
      this.#touch();
    }
  }

  async close(): Promise<void> {
    this.#ends.abort();
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
        signal: this.#ends.signal,
        gone: (reason) => {
          if (this.#connected === connected) this.#lose(reason);
        },
        changed: (tools) => {
          this.#tools = this.#scrubSaid(tools);
        },
      });
      this.#connected = connected;
      this.#tools = this.#scrubSaid(connected.tools);
      this.#state = 'online';
      this.#reason = undefined;
      this.#failures = 0;
      if (this.#isClosed) await this.#disconnect('idle');
      else this.#watchIdle();
    } catch (error) {
      this.#lose(await reasonOf(error, this.#scrub));
    }
  }

  /** It is tried again after a pause; who wants it meanwhile does without. */
  #lose(reason: string): void {
    void this.#disconnect('offline');
    this.#reason = reason;
    if (this.#isClosed) return;
    this.options.offline(reason);
    const { first, most } = this.options.backoffMs;
    const wait = Math.min(most, first * 2 ** this.#failures);
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
    return this.#ends.signal.aborted;
  }

  #touch(): void {
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
  /** There is nobody to talk to any more. */
  readonly isGone: boolean;
}

/** What a call that has no result means: nothing is ever called a second time by itself. */
async function outcomeOfFailure(error: unknown, scrub: Scrub): Promise<CallFailure> {
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  if (error instanceof ProtocolError) {
    return { text: `The server refused the call: ${scrub(error.message)}`, isGone: false };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return {
      text: 'The server did not answer in time; whether the call happened is unknown.',
      isGone: false,
    };
  }
  const reason = await reasonOf(error, scrub);
  return {
    text: `The connection to the server broke (${reason}); whether the call happened is unknown.`,
    isGone: true,
  };
}

/** Why there is no connection, in one line. */
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
