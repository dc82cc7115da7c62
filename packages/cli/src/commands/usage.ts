import type { Usage, UsageGrouping, UsageReport } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { parseDuration, parseInstant } from '../durations.js';
import { UsageError } from '../failure.js';
import { printableLine } from '../terminal/printable.js';
import { costText, countText } from '../terminal/usage-text.js';

export interface UsageOptions extends GlobalFlags {
  readonly by: UsageGrouping;
  readonly since?: string;
  readonly until?: string;
  readonly session?: string;
}

export async function usage(
  context: Context,
  _args: readonly string[],
  { by, since, until, session }: UsageOptions,
): Promise<void> {
  const now = context.io.now();
  const report = await context.client.usage({
    by,
    sessionId: session,
    since: momentFrom('--since', since, now),
    until: momentFrom('--until', until, now),
  });
  context.answer(report, () =>
    report.groups.length === 0 ? 'No usage.' : reportTable(context, report),
  );
}

/** A date or a time, or how long ago. */
export function momentFrom(
  option: string,
  text: string | undefined,
  now: number,
): number | undefined {
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  const moment = ago === undefined ? parseInstant(text) : Math.max(0, now - ago);
  if (moment !== undefined && moment >= 0) return moment;
  throw new UsageError(
    `${option} is neither a time nor a duration: ${text}`,
    'write 2026-03-01, 2026-03-01T09:00, or 7d for the last seven days',
  );
}

function reportTable(context: Context, { by, groups, total, currency }: UsageReport): string {
  const row = (key: string, used: Usage): string[] => [
    key,
    countText(used.modelCalls),
    countText(used.inputTokens),
    countText(used.cachedInputTokens),
    countText(used.outputTokens),
    costText(used.cost, currency),
  ];
  return context.table(
    [
      { title: by.toUpperCase() },
      { title: 'CALLS', align: 'right' },
      { title: 'INPUT', align: 'right' },
      { title: 'CACHED', align: 'right' },
      { title: 'OUTPUT', align: 'right' },
      { title: 'COST', align: 'right' },
    ],
    [
      ...groups.map((group) => row(printableLine(group.key) || '(none)', group.usage)),
      row('total', total),
    ],
  );
}
