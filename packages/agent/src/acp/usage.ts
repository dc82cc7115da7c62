import type { Usage } from '@stoa/protocol';
import type { UsageReport } from './session-updates.js';

/**
 * What a program says a step took. Some count what came from a cache as input and some beside it; the
 * total tells which. It has no cost: whose prices hold is not known here.
 */
export function usageOf(reported: UsageReport): Usage {
  const { inputTokens, outputTokens, totalTokens, cachedReadTokens } = reported;
  const input = Math.max(inputTokens, totalTokens - outputTokens);
  return {
    modelCalls: 1,
    inputTokens: input,
    cachedInputTokens: Math.min(cachedReadTokens, input),
    outputTokens,
  };
}
