import { type Driver, type DriverEnd, isFenced, type RunContext } from '@stoa/core';
import type { StoredItem } from '@stoa/protocol';
import type { SeededRandom } from '../virtual/random.js';

/** What the agents of a simulation know of the world; it outlives the daemons that run them. */
export interface Audience {
  readonly random: SeededRandom;
  /** The history ends: a session that gets a turn now passes. */
  isEnding(): boolean;
  /** Resolves when the scheduler says so, rejects when the signal aborts, and never after its daemon died. */
  pace(signal?: AbortSignal): Promise<void>;
  /** The names of whom a speaker may call. */
  names(): readonly string[];
  react(sessionId: string, messageId: string): Promise<unknown>;
  saw(what: string): void;
  fail(what: string, details: Readonly<Record<string, unknown>>): void;
}

type Part = (run: RunContext) => Promise<DriverEnd>;

/** It says whose run it is, so that who looks on needs to ask nobody. */
const wordsOf = (runId: string, more: string): string => `(${runId}) ${more}`;

export function runIdIn(text: string): string | undefined {
  return /^\((run_[a-z0-9]+)\)/.exec(text)?.[1];
}

/** An agent in a channel that does something else at each turn: it keeps to what drivers promise, but for being late. */
export class SimSpeaker implements Driver {
  readonly kind = 'script';
  readonly capabilities = { inject: true } as const;

  readonly #parts: readonly {
    readonly name: string;
    readonly weight: number;
    readonly play: Part;
  }[] = [
    { name: 'speaks', weight: 22, play: (run) => this.#speak(run, 1) },
    { name: 'writes its answer last', weight: 12, play: (run) => this.#write(run, 0) },
    { name: 'writes more than it emitted', weight: 3, play: (run) => this.#write(run, 1) },
    { name: 'speaks twice', weight: 6, play: (run) => this.#speak(run, 2) },
    { name: 'abstains', weight: 14, play: (run) => this.#abstain(run) },
    { name: 'reacts', weight: 6, play: (run) => this.#react(run) },
    { name: 'fails', weight: 6, play: (run) => this.#fail(run, false) },
    { name: 'fails after it spoke', weight: 6, play: (run) => this.#fail(run, true) },
    { name: 'breaks', weight: 3, play: (run) => this.#break(run) },
    { name: 'dies silently', weight: 8, play: (run) => this.#die(run, run.signal) },
    { name: 'dies and receives nothing', weight: 3, play: (run) => this.#die(run) },
    { name: 'asks people', weight: 8, play: (run) => this.#ask(run) },
    { name: 'is late', weight: 6, play: (run) => this.#beLate(run) },
  ];

  constructor(private readonly audience: Audience) {}

  async execute(run: RunContext): Promise<DriverEnd> {
    const { random } = this.audience;
    if (this.audience.isEnding()) return { type: 'completed' };
    await this.audience.pace(run.signal);
    // What is not reported counts as delivered when the run has ended.
    if (random.chance(0.3)) await run.journal.delivered(run.items.map(({ itemId }) => itemId));
    if (run.kind !== 'channel_delivery') return this.#work(run);
    const { name, play } = random.weighted(this.#parts);
    this.audience.saw(name);
    return play(run);
  }

  forget(): void {}

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Something else than a turn: it only takes time. */
  async #work(run: RunContext): Promise<DriverEnd> {
    await this.audience.pace(run.signal);
    return { type: 'completed' };
  }

  async #speak(run: RunContext, times: number): Promise<DriverEnd> {
    for (let i = 0; i < times; i++) {
      await this.audience.pace(run.signal);
      await this.#emit(run);
    }
    if (this.audience.random.chance(0.3)) await this.audience.pace(run.signal);
    return { type: 'completed' };
  }

  /** What it writes last counts, unless it emitted something. */
  async #write(run: RunContext, emitted: number): Promise<DriverEnd> {
    await this.#speak(run, emitted);
    await this.audience.pace(run.signal);
    return { type: 'completed', output: [{ type: 'text', text: this.#words(run) }] };
  }

  async #abstain(run: RunContext): Promise<DriverEnd> {
    if (this.audience.random.chance(0.3)) {
      const usage = { modelCalls: 1, inputTokens: 40, cachedInputTokens: 0, outputTokens: 10 };
      await run.journal.usage(usage, {});
    }
    await this.audience.pace(run.signal);
    return { type: 'completed' };
  }

  async #react(run: RunContext): Promise<DriverEnd> {
    const { messageId } = run.origin;
    await this.audience.pace(run.signal);
    if (messageId !== undefined) await this.audience.react(run.session.sessionId, messageId);
    return { type: 'completed' };
  }

  async #fail(run: RunContext, isAfterwards: boolean): Promise<DriverEnd> {
    if (isAfterwards) await this.#emit(run);
    await this.audience.pace(run.signal);
    const failure = { phase: 'agent' as const, code: 'model_empty', message: 'nothing came' };
    return { type: 'failed', failure };
  }

  async #break(run: RunContext): Promise<DriverEnd> {
    await this.audience.pace(run.signal);
    throw new Error('a driver that breaks');
  }

  async #die(run: RunContext, signal?: AbortSignal): Promise<DriverEnd> {
    if (this.audience.random.chance(0.3)) await this.#emit(run);
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  }

  async #ask(run: RunContext): Promise<DriverEnd> {
    await this.audience.pace(run.signal);
    await run.ask({
      kind: 'tool',
      callId: `call of ${run.runId}`,
      tool: 'effect',
      title: 'effect',
      input: {},
      inputHash: '',
      reason: 'asked',
    });
    return this.#speak(run, 1);
  }

  /** It works on until its turn is long gone, and then speaks as if nothing had happened. */
  async #beLate(run: RunContext): Promise<DriverEnd> {
    const { signal } = run;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    await this.audience.pace();
    try {
      await this.#emit(run);
      this.audience.fail('a run wrote after its end', { runId: run.runId });
    } catch (error) {
      if (!isFenced(error)) throw error;
      this.audience.saw('late words were refused');
    }
    const output: StoredItem[] = [{ type: 'text', text: wordsOf(run.runId, 'late') }];
    return { type: 'completed', output };
  }

  async #emit(run: RunContext): Promise<void> {
    await run.journal.emitOutput([{ type: 'text', text: this.#words(run) }]);
  }

  #words({ runId }: RunContext): string {
    const { random } = this.audience;
    const named = random.chance(0.3) ? ` @${random.pick(this.audience.names())}` : '';
    return wordsOf(runId, `${String(random.below(1_000))}${named}`);
  }
}
