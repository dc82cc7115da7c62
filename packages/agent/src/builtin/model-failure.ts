import type { ModelUsage } from './model-client.js';

/** The codes of run failures that a model causes; part of the API. */
export type ModelFailureCode =
  | 'no_model'
  | 'unknown_model'
  | 'model_unauthorized'
  | 'model_not_found'
  | 'model_rejected'
  | 'model_rate_limited'
  | 'model_quota_exceeded'
  | 'model_unavailable'
  | 'model_context_exceeded'
  | 'model_refused'
  | 'model_empty';

interface Details {
  /** Whether a retry may help. */
  readonly isRetryable?: boolean;
  /** How long the provider asks to wait before a retry. */
  readonly retryAfterMs?: number | undefined;
  /** The usage of the failed attempt. */
  readonly usage?: ModelUsage;
}

/** Why a model did not answer. The message contains no secrets. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly usage: ModelUsage | undefined;

  constructor(
    readonly code: ModelFailureCode,
    message: string,
    { isRetryable = false, retryAfterMs, usage }: Details = {},
  ) {
    super(message);
    this.isRetryable = isRetryable;
    this.retryAfterMs = retryAfterMs;
    this.usage = usage;
  }
}
