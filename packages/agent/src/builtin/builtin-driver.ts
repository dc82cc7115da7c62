import type { Clock, DriverEnd, RunContext, Timers } from '@stoa/core';
import { BUILTIN_DRIVER, type DriverConfig, type ModelsConfig, StoaError } from '@stoa/protocol';
import type { AgentDriver } from '../agent-driver.js';
import type { CallTools } from '../call-tools.js';
import { AgentLoop, type LoopPorts } from './agent-loop.js';
import { RETRY_RULES, type RetryRules } from './ask-model.js';
import { ModelFailure } from './model-failure.js';
import { type ChosenModel, Models, modelSelection } from './models.js';

export interface BuiltinDriverPorts extends Omit<LoopPorts, 'tokenRatios'> {
  readonly models: Pick<Models, 'choose'>;
}

/** Stoa's own agent: a loop of model and tools that journals every step. */
export class BuiltinDriver implements AgentDriver {
  readonly kind = BUILTIN_DRIVER.kind;
  readonly capabilities = BUILTIN_DRIVER.capabilities;
  readonly #tokenRatios = new Map<string, number>();
  /** By `provider/model`: the problem that a person has to fix, until a run with that model completes. */
  readonly #problems = new Map<string, string>();

  constructor(private readonly ports: BuiltinDriverPorts) {}

  async execute(run: RunContext): Promise<DriverEnd> {
    const { driver } = run.session.persona.definition;
    const selection = modelSelection(driver);
    let model: ChosenModel;
    try {
      model = this.ports.models.choose(selection);
    } catch (error) {
      return failedWith('start', error);
    }
    const ports = { ...this.ports, tokenRatios: this.#tokenRatios };
    const { provider, model: name } = model.client;
    const who = `${provider}/${name}`;
    try {
      const end = await new AgentLoop(ports, run, model, selection.maxSteps).go();
      if (end.type === 'completed') this.#problems.delete(who);
      return end;
    } catch (error) {
      run.signal.throwIfAborted();
      if (error instanceof ModelFailure && FIXABLE.has(error.code)) {
        if (this.#problems.size >= MAX_PROBLEMS) this.#problems.clear();
        this.#problems.set(who, error.message);
      }
      return failedWith('agent', error);
    }
  }

  /** A definition without a model is valid: its runs fail with a message about what to set. */
  assertSound(driver: DriverConfig): Promise<void> {
    const model = this.#choose(driver);
    if (model instanceof ModelFailure && model.code === 'unknown_model') {
      return Promise.reject(new StoaError('unknown_model', model.message));
    }
    return Promise.resolve();
  }

  lackOf(driver: DriverConfig): Promise<string | undefined> {
    const model = this.#choose(driver);
    if (model instanceof ModelFailure) {
      return Promise.resolve(model.code === 'no_model' ? model.message : undefined);
    }
    return Promise.resolve(this.#problems.get(`${model.client.provider}/${model.client.model}`));
  }

  #choose(driver: DriverConfig): ChosenModel | ModelFailure {
    try {
      return this.ports.models.choose(modelSelection(driver));
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

const FIXABLE: ReadonlySet<string> = new Set(['model_unauthorized', 'model_not_found']);
const MAX_PROBLEMS = 1_000;

function failedWith(phase: 'start' | 'agent', error: unknown): DriverEnd {
  if (!(error instanceof ModelFailure)) throw error;
  return { type: 'failed', failure: { phase, code: error.code, message: error.message } };
}

export interface BuiltinDriverSettings {
  readonly config: ModelsConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly tools: CallTools;
  readonly timers: Timers;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
}

/** The builtin driver with the models of the configuration. */
export function createBuiltinDriver(settings: BuiltinDriverSettings): BuiltinDriver {
  const { config, environment, tools, timers, clock, random } = settings;
  const models = new Models(config, environment, { timers, clock });
  return new BuiltinDriver({ models, tools, timers, random, rules: rulesOf(config) });
}

function rulesOf({ modelRetries = {} }: ModelsConfig): RetryRules {
  const { attempts = RETRY_RULES.attempts, maxWaitSeconds } = modelRetries;
  const maxWaitMs = maxWaitSeconds === undefined ? RETRY_RULES.maxWaitMs : maxWaitSeconds * 1_000;
  return { ...RETRY_RULES, attempts, maxWaitMs };
}
