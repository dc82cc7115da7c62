import type { Timers } from '@stoa/core';
import { pause } from '../pause.js';
import type { ModelAnswer, ModelClient, ModelListener, ModelRequest } from './model-client.js';
import { ModelFailure } from './model-failure.js';

export interface RetryRules {
  /** How often a request is sent at most. */
  readonly attempts: number;
  readonly firstWaitMs: number;
  /** If a provider asks to wait longer, the run fails. */
  readonly maxWaitMs: number;
}

export const RETRY_RULES: RetryRules = { attempts: 5, firstWaitMs: 1_000, maxWaitMs: 300_000 };

const EMPTY_ATTEMPTS = 2;
const MAX_BACKOFF_MS = 60_000;

export interface AskPorts {
  readonly timers: Timers;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly rules: RetryRules;
}

export interface AskListener extends ModelListener {
  /** An attempt failed and another one follows: its text is discarded. */
  retrying(failure: ModelFailure, waitMs: number): Promise<void>;
}

/**
 * Asks a model, with retries. After rate limits, server errors and broken connections it waits as long as the provider asks,
 * or twice as long as before. An empty answer is retried once.
 */
export async function askModel(
  ports: AskPorts,
  client: ModelClient,
  request: ModelRequest,
  listener: AskListener,
  {
    signal,
    mayBeEmpty,
  }: {
    readonly signal: AbortSignal;
    /** Whether an empty answer is valid. */
    readonly mayBeEmpty: (answer: ModelAnswer) => boolean;
  },
): Promise<ModelAnswer> {
  for (let attempt = 1, empty = 0; ; attempt++) {
    try {
      const answer = await client.ask(request, listener, signal);
      if (!isEmpty(answer) || mayBeEmpty(answer)) return answer;
      throw emptyAnswer(client, answer);
    } catch (error) {
      if (!(error instanceof ModelFailure) || !error.isRetryable) throw error;
      if (error.code === 'model_empty' && ++empty >= EMPTY_ATTEMPTS) throw error;
      const waitMs = waitBefore(attempt, error, ports);
      if (attempt >= ports.rules.attempts || waitMs > ports.rules.maxWaitMs) throw error;
      await listener.retrying(error, waitMs);
      await pause(ports.timers, waitMs, signal);
    }
  }
}

function waitBefore(attempt: number, failure: ModelFailure, { random, rules }: AskPorts): number {
  if (failure.retryAfterMs !== undefined) return Math.ceil(failure.retryAfterMs);
  if (failure.code === 'model_empty') return 0;
  const backoff = Math.min(rules.firstWaitMs * 2 ** (attempt - 1), MAX_BACKOFF_MS);
  return Math.round(backoff * (0.5 + random() / 2));
}

const isEmpty = ({ parts }: ModelAnswer): boolean =>
  !parts.some(
    (part) => part.type === 'tool_call' || (part.type === 'text' && /\S/.test(part.text)),
  );

function emptyAnswer({ provider, model }: ModelClient, answer: ModelAnswer): ModelFailure {
  const who = `${provider}/${model}`;
  const { usage, finishReason } = answer;
  if (finishReason === 'content-filter')
    return new ModelFailure('model_refused', `${who} refuses to answer.`, { usage });
  const limit = finishReason === 'length' ? ' and reached its output limit' : '';
  return new ModelFailure('model_empty', `${who} gave an empty answer${limit}.`, {
    isRetryable: true,
    usage,
  });
}
