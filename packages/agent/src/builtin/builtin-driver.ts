import { DRIVER_CAPABILITIES, type Driver, type DriverEnd, type RunContext } from '@stoa/core';
import type { CallTools } from '../call-tools.js';
import { AgentLoop, type LoopPorts } from './agent-loop.js';
import { ModelFailure } from './model-failure.js';
import type { ChosenModel, Models, Wish } from './models.js';

export interface BuiltinDriverPorts extends Omit<LoopPorts, 'tokenRatios' | 'tools'> {
  readonly models: Pick<Models, 'choose'>;
  readonly tools: CallTools;
}

/** Stoa's own agent: a loop of model and tools, journaled step by step. */
export class BuiltinDriver implements Driver {
  readonly kind = 'builtin';
  readonly capabilities = DRIVER_CAPABILITIES.builtin;
  /** How many tokens a provider counted for one that was estimated, by session. */
  readonly #tokenRatios = new Map<string, number>();
  /** By `provider/model`: what a person has to mend, until a run with that model completes. */
  readonly #problems = new Map<string, string>();

  constructor(private readonly ports: BuiltinDriverPorts) {}

  async execute(run: RunContext): Promise<DriverEnd> {
    const { driver } = run.session.persona.definition;
    const wish = driver.kind === 'builtin' ? driver : {};
    let model: ChosenModel;
    try {
      model = this.ports.models.choose(wish);
    } catch (error) {
      return failedWith('start', error);
    }
    const maxSteps = driver.kind === 'builtin' ? driver.maxSteps : undefined;
    const ports = { ...this.ports, tokenRatios: this.#tokenRatios };
    const { provider, model: name } = model.client;
    const who = `${provider}/${name}`;
    try {
      const end = await new AgentLoop(ports, run, model, maxSteps).go();
      if (end.type === 'completed') this.#problems.delete(who);
      return end;
    } catch (error) {
      run.signal.throwIfAborted();
      if (error instanceof ModelFailure && TO_MEND.has(error.code)) {
        if (this.#problems.size >= MOST_PROBLEMS) this.#problems.clear();
        this.#problems.set(who, error.message);
      }
      return failedWith('agent', error);
    }
  }

  /** What an agent with this wish lacks: a model, a key, or what its model refused last. */
  lackOf(wish: Wish): string | undefined {
    const problem = this.modelProblem(wish);
    if (problem) return problem.code === 'no_model' ? problem.message : undefined;
    const { provider, model } = this.ports.models.choose(wish).client;
    return this.#problems.get(`${provider}/${model}`);
  }

  /** Why there is no such model here, if there is none. */
  modelProblem(wish: Wish): ModelFailure | undefined {
    try {
      this.ports.models.choose(wish);
      return undefined;
    } catch (error) {
      if (error instanceof ModelFailure) return error;
      throw error;
    }
  }

  forget(sessionId: string): void {
    this.#tokenRatios.delete(sessionId);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const TO_MEND: ReadonlySet<string> = new Set(['model_unauthorized', 'model_not_found']);
const MOST_PROBLEMS = 1_000;

function failedWith(phase: 'start' | 'agent', error: unknown): DriverEnd {
  if (!(error instanceof ModelFailure)) throw error;
  return { type: 'failed', failure: { phase, code: error.code, message: error.message } };
}
