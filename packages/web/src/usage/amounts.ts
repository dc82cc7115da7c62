import type { Usage } from '@stoa/protocol';

export type Measure = 'tokens' | 'cost';

const numbers = new Intl.NumberFormat('en');

export const countText = (count: number): string => numbers.format(count);

/** Unknown amounts are shown as unknown, never as zero. */
export function costText(cost: number | undefined, currency: string | undefined): string {
  if (cost === undefined) return 'unknown';
  const amount = cost > 0 && cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(2);
  return currency === undefined ? amount : `${amount} ${currency}`;
}

export const tokensOf = ({ inputTokens, outputTokens }: Usage): number =>
  inputTokens + outputTokens;

/** One bar: what it is made of, from the bottom up; `undefined` when its length is not known. */
export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  readonly parts: readonly number[] | undefined;
}

/** The parts of tokens are: input from a cache, other input, output. */
export function barOf(
  { key, usage }: { readonly key: string; readonly usage: Usage },
  { measure, currency, label }: { measure: Measure; currency: string | undefined; label: string },
): Bar {
  if (measure === 'cost') {
    const { cost } = usage;
    return {
      key,
      label,
      value: costText(cost, currency),
      parts: cost === undefined ? undefined : [cost],
    };
  }
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  return {
    key,
    label,
    value: `${countText(tokensOf(usage))} tokens`,
    parts: [cachedInputTokens, inputTokens - cachedInputTokens, outputTokens],
  };
}

export const lengthOf = ({ parts }: Bar): number => (parts ?? []).reduce((a, b) => a + b, 0);

const DAY_MS = 86_400_000;
const NOTHING: Usage = {
  modelCalls: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

/** Every day from the first to the last: a day on which nothing was used took nothing, and that is known. */
export function everyDay(
  groups: readonly { readonly key: string; readonly usage: Usage }[],
  first: string | undefined,
  last: string,
): { readonly key: string; readonly usage: Usage }[] {
  const begin = [first, groups[0]?.key].filter((day) => day !== undefined).sort()[0] ?? last;
  const byDay = new Map(groups.map(({ key, usage }) => [key, usage]));
  const days: { key: string; usage: Usage }[] = [];
  for (let at = Date.parse(begin); at <= Date.parse(last); at += DAY_MS) {
    const key = dayOf(at);
    days.push({ key, usage: byDay.get(key) ?? NOTHING });
  }
  return days;
}

/** As the daemon counts days: those of UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
