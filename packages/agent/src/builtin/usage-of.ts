import type { Price, Usage } from '@stoa/protocol';
import type { ModelUsage } from './model-client.js';

const PER = 1_000_000;

/** The usage of one model call. Unreported counts are zero. The cost is set only if all counts and prices are known. */
export function usageOf(reported: ModelUsage, price: Price | undefined): Usage {
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = reported;
  const usage = {
    modelCalls: 1,
    inputTokens: input,
    cachedInputTokens: Math.min(cacheRead, input),
    outputTokens: output,
  };
  if (!price || reported.input === undefined || reported.output === undefined) return usage;
  const written = Math.min(cacheWrite, input - usage.cachedInputTokens);
  const fresh = input - usage.cachedInputTokens - written;
  const cost =
    fresh * price.input +
    usage.cachedInputTokens * (price.cachedInput ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    output * price.output;
  return { ...usage, cost: cost / PER };
}
