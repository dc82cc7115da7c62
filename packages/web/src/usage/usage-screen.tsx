import type { Usage, UsageGrouping, UsageReport } from '@stoa/protocol';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Page } from '../app/page.js';
import { client } from '../data/client.js';
import { useChannels } from '../data/queries.js';
import { Empty } from '../ui/empty.js';
import {
  type Bar,
  barOf,
  costText,
  countText,
  dayOf,
  everyDay,
  lengthOf,
  type Measure,
  tokensOf,
} from './amounts.js';
import { ColumnChart, Legend, RowChart } from './bar-chart.js';
import { Choose } from './choose.js';
import { UsageTable } from './usage-table.js';

const DAY_MS = 86_400_000;
const POLL_MS = 15_000;

const BY = [
  { value: 'day', label: 'Day' },
  { value: 'channel', label: 'Channel' },
  { value: 'agent', label: 'Agent' },
  { value: 'model', label: 'Model' },
] as const;
const SPANS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: 'all', label: 'All' },
] as const;
const MEASURES = [
  { value: 'tokens', label: 'Tokens' },
  { value: 'cost', label: 'Cost' },
] as const;

type By = (typeof BY)[number]['value'];
type Span = (typeof SPANS)[number]['value'];

export function UsageScreen() {
  const [by, setBy] = useState<By>('day');
  const [span, setSpan] = useState<Span>('30');
  const [measure, setMeasure] = useState<Measure>('tokens');
  const first = firstDay(span);
  const { data: report, error } = useQuery({
    queryKey: ['usage', by, first],
    queryFn: () => client.usage({ by, since: first === undefined ? undefined : Date.parse(first) }),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Usage" about="Calls to models and their tokens, as the providers counted them.">
      <div className="w-full max-w-4xl px-4 py-4 wide:px-8">
        <div className="mb-5 flex flex-wrap gap-x-6 gap-y-2">
          <Choose label="By" choices={BY} chosen={by} onChoose={setBy} />
          <Choose label="Time" choices={SPANS} chosen={span} onChoose={setSpan} />
          <Choose label="Measure" choices={MEASURES} chosen={measure} onChoose={setMeasure} />
        </div>
        {error ? <Empty title="The usage cannot be loaded">{error.message}</Empty> : null}
        {report ? <Report report={report} measure={measure} first={first} /> : null}
      </div>
    </Page>
  );
}

function firstDay(span: Span): string | undefined {
  return span === 'all' ? undefined : dayOf(Date.now() - (Number(span) - 1) * DAY_MS);
}

interface ReportProps {
  readonly report: UsageReport;
  readonly measure: Measure;
  readonly first: string | undefined;
}

function Report({ report, measure, first }: ReportProps) {
  const nameOf = useNames(report.by);
  const { groups, total, currency, by } = report;
  if (groups.length === 0) {
    return (
      <Empty title="No usage">
        No model was called in this period. Agents that use a script call none.
      </Empty>
    );
  }
  const rows = (by === 'day' ? everyDay(groups, first, dayOf(Date.now())) : groups).map(
    (group) => ({
      ...group,
      label: nameOf(group.key),
      bar: barOf(group, { measure, currency, label: nameOf(group.key) }),
    }),
  );
  const bars = rows.map(({ bar }) => bar);
  const label = `${measure === 'tokens' ? 'Tokens' : 'Cost'} by ${by}`;
  const used = rows.filter(({ usage }) => usage.modelCalls > 0);
  return (
    <div className="space-y-6">
      <Total total={total} currency={currency} />
      {by === 'day' ? (
        <ColumnChart label={label} bars={bars} />
      ) : (
        <RowChart label={label} bars={longestFirst(bars)} />
      )}
      {measure === 'tokens' ? <Legend /> : null}
      {by === 'day' ? <p className="text-xs text-soft">A day begins at midnight UTC.</p> : null}
      {measure === 'cost' && bars.some(({ parts }) => parts === undefined) ? (
        <p className="text-xs text-soft">
          Unknown: the configuration has no price for a model that was called.
        </p>
      ) : null}
      <UsageTable by={by} rows={used} total={total} currency={currency} />
    </div>
  );
}

/** Unknown amounts come first: they may be the largest. */
const longestFirst = (bars: readonly Bar[]): Bar[] =>
  [...bars].sort(
    (a, b) =>
      Number(a.parts !== undefined) - Number(b.parts !== undefined) || lengthOf(b) - lengthOf(a),
  );

function Total({
  total,
  currency,
}: {
  readonly total: Usage;
  readonly currency: string | undefined;
}) {
  const facts = [
    ['Tokens', countText(tokensOf(total))],
    ['Cost', costText(total.cost, currency)],
    ['Model calls', countText(total.modelCalls)],
  ] as const;
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-2">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-faint">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What the keys of a report are called. */
function useNames(by: UsageGrouping): (key: string) => string {
  const { data: channels } = useChannels();
  const { data: agents } = useQuery({
    queryKey: ['agents'],
    queryFn: () => client.agents.list(),
    enabled: by === 'agent',
  });
  return (key) => {
    if (by === 'channel') {
      if (key === '') return 'Outside channels';
      return channels?.find(({ channelId }) => channelId === key)?.title ?? key;
    }
    if (by === 'agent') return agents?.find(({ agentId }) => agentId === key)?.name ?? key;
    if (by === 'day') {
      return new Date(key).toLocaleDateString(undefined, {
        timeZone: 'UTC',
        month: 'short',
        day: 'numeric',
        weekday: 'short',
      });
    }
    return key;
  };
}
