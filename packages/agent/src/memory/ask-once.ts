import type { Timers } from '@stoa/core';
import type { Usage } from '@stoa/protocol';
import { askModel, RETRY_RULES } from '../builtin/ask-model.js';
import type { ModelAnswer, ModelRequest } from '../builtin/model-client.js';
import type { ModelFailure } from '../builtin/model-failure.js';
import type { ChosenModel, ModelSelection, Models } from '../builtin/models.js';
import { usageOf } from '../builtin/usage-of.js';

export interface UpkeepPorts {
  readonly models: Pick<Models, 'choose'>;
  readonly timers: Timers;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** `provider/model` to use instead of the agent's model. */
  readonly model?: string | undefined;
}

/** Few retries, because nobody waits for the answer. */
const RULES = { ...RETRY_RULES, attempts: 2, maxWaitMs: 30_000 };

export function modelFor({ models, model }: UpkeepPorts, selection: ModelSelection): ChosenModel {
  return models.choose(model === undefined ? selection : { model });
}

export async function askOnce(
  ports: UpkeepPorts,
  { client, price }: ChosenModel,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<{ readonly answer: ModelAnswer; readonly usage: Usage }> {
  let failed: Usage | undefined;
  const listener = {
    begun: () => Promise.resolve(),
    text: () => undefined,
    retrying: ({ usage }: ModelFailure) => {
      if (usage) failed = usageOf(usage, price);
      return Promise.resolve();
    },
  };
  const asking = { timers: ports.timers, random: ports.random, rules: RULES };
  const options = { signal, mayBeEmpty: () => true };
  const answer = await askModel(asking, client, request, listener, options);
  return { answer, usage: sum(usageOf(answer.usage, price), failed) };
}

function sum(usage: Usage, other: Usage | undefined): Usage {
  if (!other) return usage;
  const { cost } = usage;
  return {
    modelCalls: usage.modelCalls + other.modelCalls,
    inputTokens: usage.inputTokens + other.inputTokens,
    cachedInputTokens: usage.cachedInputTokens + other.cachedInputTokens,
    outputTokens: usage.outputTokens + other.outputTokens,
    ...(cost !== undefined && other.cost !== undefined && { cost: cost + other.cost }),
  };
}
