import type { ModelUsage } from './model-client.js';

/** What a run fails with when its model does. Part of the contract: they stand in run failures. */
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
  /** Trying again may help. */
  readonly isRetryable?: boolean;
  /** How long the provider asks to wait first. */
  readonly retryAfterMs?: number | undefined;
  /** What the failed attempt took nevertheless. */
  readonly usage?: ModelUsage;
}

/** Why a model did not answer, in words that hold no secret. */
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
