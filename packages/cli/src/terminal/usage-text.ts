import type { Usage } from '@stoa/protocol';

/** Digits in groups, the same on every machine. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3}){1,9}$)/g, ',');
}

/** What is not known is not shown as nothing. */
export function costText(cost: number | undefined, currency: string | undefined): string {
  if (cost === undefined) return '?';
  const amount = cost > 0 && cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(2);
  return currency === undefined ? amount : `${amount} ${currency}`;
}

export function usageLine({ inputTokens, cachedInputTokens, outputTokens, cost }: Usage): string {
  const cached = cachedInputTokens === 0 ? '' : ` (${countText(cachedInputTokens)} cached)`;
  const price = cost === undefined ? '' : `, cost ${costText(cost, undefined)}`;
  return `${countText(inputTokens)} tokens in${cached}, ${countText(outputTokens)} out${price}`;
}
