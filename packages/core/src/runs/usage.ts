import {
  actorIdOf,
  type Principal,
  type Usage,
  type UsageQuery,
  type UsageReport,
} from '@stoa/protocol';
import { sumUsage, type UsageRow } from '@stoa/store';
import { callerClass } from '../access/rules.js';
import type { SessionContext } from '../sessions/context.js';
import { usageOf } from '../sessions/records.js';

/** The usage of model calls, as the providers reported it. */
export async function reportUsage(
  { store }: SessionContext,
  by: Principal,
  query: UsageQuery,
  currency: string | undefined,
): Promise<UsageReport> {
  const filter = {
    sessionId: query.sessionId ?? null,
    runId: query.runId ?? null,
    responsibleId: callerClass(by) === 'admin' ? null : actorIdOf(by),
    since: query.since ?? 0,
    until: query.until ?? Number.MAX_SAFE_INTEGER,
  };
  const rows: UsageRow[] = await store.read(() => sumUsage[query.by].all(filter));
  const groups = rows.map((row) => ({ key: row.key, usage: usageOf(row) }));
  return {
    by: query.by,
    groups,
    total: totalOf(groups.map(({ usage }) => usage)),
    ...(currency === undefined ? {} : { currency }),
  };
}

function totalOf(usages: readonly Usage[]): Usage {
  const sum = (pick: (usage: Usage) => number): number =>
    usages.reduce((total, usage) => total + pick(usage), 0);
  const isPriced = usages.length > 0 && usages.every(({ cost }) => cost !== undefined);
  return {
    modelCalls: sum((usage) => usage.modelCalls),
    inputTokens: sum((usage) => usage.inputTokens),
    cachedInputTokens: sum((usage) => usage.cachedInputTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    ...(isPriced ? { cost: sum((usage) => usage.cost ?? 0) } : {}),
  };
}
