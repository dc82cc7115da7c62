import type { Driver, DriverEnd, RunContext } from '@stoa/core';
import type { AssistantPart } from '@stoa/protocol';
import type { SeededRandom } from '../virtual/random.js';

type Call = Extract<AssistantPart, { type: 'tool_call' }>;

/** What the agents of a simulation do in the world; it outlives the daemons that run them. */
export interface Outside {
  readonly random: SeededRandom;
  /** Resolves when the scheduler says so, and never after its daemon died. */
  pace(): Promise<void>;
  /** The effect of a tool: it happens once for each call, or not at all. */
  perform(callId: string): void;
  newCallId(): string;
}

const MAX_STEPS = 4;

/**
 * An agent that does something else each time: it speaks, calls tools, asks people, takes what is
 * injected, fails. It keeps the contract of drivers, so a violation is not its fault.
 */
export class SimAgent implements Driver {
  readonly kind = 'script';
  readonly capabilities = { inject: true } as const;

  constructor(private readonly outside: Outside) {}

  async execute(run: RunContext): Promise<DriverEnd> {
    const { random } = this.outside;
    await this.outside.pace();
    if (run.items.length > 0 && random.chance(0.05)) {
      return failed('start', 'model_unavailable');
    }
    await this.#write(() => run.journal.delivered(run.items.map(({ itemId }) => itemId)));
    if (run.attempt === 1 && run.items.length === 0) throw new Error('a run with nothing to do');
    const { pending } = await run.transcript();
    if (pending.length > 0) await this.#callAll(run, pending);
    const steps = random.below(MAX_STEPS + 1);
    for (let step = 0; step < steps; step++) await this.#step(run, step);
    if (random.chance(0.1)) return failed('agent', 'model_empty');
    return { type: 'completed', output: [{ type: 'text', text: 'done' }] };
  }

  forget(): void {}

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #step(run: RunContext, step: number): Promise<void> {
    const { random } = this.outside;
    const calls: Call[] = Array.from({ length: random.below(3) }, () => ({
      type: 'tool_call',
      callId: this.outside.newCallId(),
      tool: 'effect',
      input: {},
    }));
    const text: AssistantPart = { type: 'text', text: `step ${String(step)}` };
    await this.#write(() =>
      run.journal.modelMessage({
        step,
        parts: [text, ...calls],
        finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
        usage: { modelCalls: 1, inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 },
      }),
    );
    await this.#callAll(run, calls);
    await this.#write(() => run.journal.takeInjected());
    if (random.chance(0.2)) {
      const items = [{ type: 'text' as const, text: 'written' }];
      await this.#write(() => run.journal.emitOutput(items));
    }
  }

  async #callAll(run: RunContext, calls: readonly Call[]): Promise<void> {
    for (const { callId, tool } of calls) {
      const isAllowed = this.outside.random.chance(0.6) || (await this.#ask(run, callId));
      if (!isAllowed) {
        const denied = { callId, tool, outcome: 'denied' as const, output: 'no' };
        await this.#write(() => run.journal.toolResult(denied));
        continue;
      }
      const started = { callId, tool, kind: 'other' as const, title: tool };
      await this.#write(() => run.journal.toolCall({ ...started, input: {}, inputHash: '' }));
      await this.outside.pace();
      if (run.signal.aborted) throw run.signal.reason as Error;
      this.outside.perform(callId);
      await this.outside.pace();
      const result = { callId, tool, outcome: 'ok' as const, output: 'ok' };
      await this.#write(() => run.journal.toolResult(result));
    }
  }

  async #ask(run: RunContext, callId: string): Promise<boolean> {
    const question = {
      kind: this.outside.random.chance(0.8) ? ('tool' as const) : ('question' as const),
      callId,
      tool: 'effect',
      title: 'effect',
      input: {},
      inputHash: '',
      reason: 'asked',
    };
    if (this.outside.random.chance(0.1)) {
      // Nobody waits for the answer.
      await this.#write(() => run.journal.requestApproval(question));
      return false;
    }
    const { state } = await run.ask(question);
    return state === 'allowed';
  }

  async #write(write: () => Promise<unknown>): Promise<void> {
    await this.outside.pace();
    await write();
  }
}

function failed(phase: 'start' | 'agent', code: string): DriverEnd {
  return { type: 'failed', failure: { phase, code, message: code } };
}
