import type { UsageReport } from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export interface UsageApi {
  /** Tokens and cost, by day unless told otherwise. */
  usage(query?: QueryFor<'usage'>, options?: CallOptions): Promise<UsageReport>;
}

export function usageApi(call: Caller): UsageApi {
  return { usage: (query, options) => call('usage', { query, ...options }) };
}
