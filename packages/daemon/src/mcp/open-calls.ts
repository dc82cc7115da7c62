import { actorIdOf, type Principal, StoaError } from '@stoa/protocol';

export interface OpenCall {
  /** Aborts when the call has ended, or should end. */
  readonly signal: AbortSignal;
  /** Idempotent; the first reason is kept. */
  readonly end: (reason?: StoaError) => void;
  /** The answer was sent. Calls `lost` if the client reports later that it did not wait for it. */
  readonly wasSent: (lost: () => void) => void;
}

interface Entry {
  readonly caller: string;
  /** The client's id of its request, which is unique for that client only. */
  readonly requestId: unknown;
}

/** The open requests: their limits per caller and in total, and how they end. */
export class OpenCalls {
  readonly #open = new Map<AbortController, Entry>();
  readonly #counts = new Map<string, number>();
  /** What to do if the answer to a request did not arrive, by caller and request; the newest, up to the limit. */
  readonly #sent = new Map<string, () => void>();
  #closed = false;

  constructor(
    private readonly limit: number,
    private readonly limitPerCaller: number,
  ) {}

  open(by: Principal, requestId?: unknown): OpenCall {
    if (this.#closed) throw new StoaError('shutting_down');
    const caller = actorIdOf(by);
    const count = this.#counts.get(caller) ?? 0;
    if (this.#open.size >= this.limit || count >= this.limitPerCaller) {
      throw new StoaError('too_many_streams', 'Too many calls over MCP are under way');
    }
    const abort = new AbortController();
    this.#open.set(abort, { caller, requestId });
    this.#counts.set(caller, count + 1);
    const key = keyOf(caller, requestId);
    // Another client of the same caller counts its requests from the start again.
    this.#sent.delete(key);
    return {
      wasSent: (lost) => {
        if (key.length > KEY_CHARS) return;
        this.#sent.set(key, lost);
        const [oldest = key] = this.#sent.keys();
        if (this.#sent.size > this.limit) this.#sent.delete(oldest);
      },
      signal: abort.signal,
      end: (reason) => {
        this.#end(abort, reason);
      },
    };
  }

  /** A client stopped waiting. It reports that in another request, which may arrive after the answer was sent. */
  cancel(by: Principal, requestId: unknown): void {
    const caller = actorIdOf(by);
    const key = keyOf(caller, requestId);
    this.#sent.get(key)?.();
    this.#sent.delete(key);
    for (const [abort, entry] of this.#open) {
      if (entry.caller === caller && entry.requestId === requestId) this.#end(abort);
    }
  }

  close(): void {
    this.#closed = true;
    for (const abort of this.#open.keys()) this.#end(abort, new StoaError('shutting_down'));
  }

  #end(abort: AbortController, reason = new StoaError('run_ended', 'Nobody waits any more')): void {
    const entry = this.#open.get(abort);
    if (!entry) return;
    const { caller } = entry;
    this.#open.delete(abort);
    const left = (this.#counts.get(caller) ?? 1) - 1;
    if (left > 0) this.#counts.set(caller, left);
    else this.#counts.delete(caller);
    abort.abort(reason);
  }
}

/** Real clients count their requests. */
const KEY_CHARS = 200;

const keyOf = (caller: string, requestId: unknown): string =>
  `${caller} ${JSON.stringify(requestId ?? null)}`;
