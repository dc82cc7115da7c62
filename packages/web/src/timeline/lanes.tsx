import { leaseOutcomeWords } from '@stoa/client';
import type { Turn } from '@stoa/protocol';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { costText, countText, tokensOf } from '../usage/amounts.js';
import { spanText } from './clock.js';
import type { LeaseSpan } from './story.js';

interface LanesProps {
  readonly leases: readonly LeaseSpan[];
  readonly turn: Turn;
  /** What members are called now; one that has left keeps its id. */
  readonly names: ReadonlyMap<string, string>;
}

/** Who had the turn from when to when, drawn to the scale of the whole turn. */
export function Lanes({ leases, turn, names }: LanesProps) {
  if (leases.length === 0) return <div className="pb-2" />;
  const begin = Math.min(turn.openedAt, ...leases.map(({ from }) => from));
  const ends = leases.map(({ until }) => until).filter((until) => until !== undefined);
  const isOpen = ends.length < leases.length;
  const last = Math.max(turn.closedAt ?? begin, begin + 1, ...ends);
  // Who still speaks reaches to the edge, with some room before it.
  const end = isOpen ? last + (last - begin) * 0.25 : last;
  return (
    <ul aria-label="Leases" className="space-y-1 px-3 pt-1.5 pb-2">
      {leases.map((lease) => (
        <Lane
          key={lease.leaseId}
          lease={lease}
          name={names.get(lease.memberId) ?? lease.memberId}
          left={(lease.from - begin) / (end - begin)}
          width={((lease.until ?? end) - lease.from) / (end - begin)}
          hasTokens={turn.tokens > 0}
        />
      ))}
    </ul>
  );
}

interface LaneProps {
  readonly lease: LeaseSpan;
  readonly name: string;
  readonly left: number;
  readonly width: number;
  readonly hasTokens: boolean;
}

const FILLS: Readonly<Record<string, string>> = {
  spoke: 'fill-accent',
  reacted: 'fill-accent',
  abstained: 'fill-faint',
};

function Lane({ lease, name, left, width, hasTokens }: LaneProps) {
  const { outcome, from, until, runId } = lease;
  const fill = outcome === undefined ? 'fill-good' : (FILLS[outcome] ?? 'fill-danger');
  const outcomeText =
    outcome === undefined ? 'is speaking' : leaseOutcomeWords({ ...lease, outcome });
  return (
    <li className="grid grid-cols-[4rem_1fr] items-center gap-x-3 text-xs wide:grid-cols-[4rem_1fr_17rem]">
      <span className="truncate text-soft" title={name}>
        {name}
      </span>
      <svg
        aria-hidden="true"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        className="h-2 w-full rounded-sm bg-hover"
      >
        <rect
          x={left * 100}
          y={0}
          width={Math.max(width * 100, 0.8)}
          height={8}
          rx={0.5}
          className={fill}
        />
      </svg>
      <span className="col-start-2 text-soft wide:col-start-3">
        {outcomeText}
        {until === undefined ? null : (
          <span className="text-faint"> · {spanText(until - from)}</span>
        )}
        {hasTokens && until !== undefined ? <RunCost runId={runId} /> : null}
      </span>
    </li>
  );
}

/** What one run took. Whose session it is may see it; to others it is not shown. */
function RunCost({ runId }: { readonly runId: string }) {
  const { data: run } = useQuery({
    queryKey: ['run', runId, 'ended'],
    queryFn: () => client.runs.get(runId),
    staleTime: Infinity,
  });
  if (!run || run.usage.modelCalls === 0) return null;
  return (
    <span className="text-faint">
      {` · ${countText(tokensOf(run.usage))} tokens · cost ${costText(run.usage.cost, undefined)}`}
    </span>
  );
}
