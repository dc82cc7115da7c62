import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { countText } from '../usage/amounts.js';
import { clockTime, spanText } from './clock.js';
import {
  behindBy,
  closedText,
  consequences,
  reasonText,
  triggerText,
  type Who,
} from './decision-words.js';
import { Lanes } from './lanes.js';
import type { TurnEntry } from './story.js';

interface TurnCardProps {
  readonly channelId: string;
  readonly entry: TurnEntry;
  readonly who: Who;
}

/** One turn: what opened it, who had it for how long, what was decided, and what it took. */
export function TurnCard({ channelId, entry, who }: TurnCardProps) {
  const { turn, said, leases, decisions } = entry;
  const { replies, startedRuns, tokens, closedAt, openedAt, outcome } = turn;
  const facts = [
    counted(replies, 'reply', 'replies'),
    counted(startedRuns, 'run', 'runs'),
    `${countText(tokens)} tokens`,
    ...(closedAt === undefined ? [] : [spanText(closedAt - openedAt)]),
  ];
  return (
    <article aria-label="Turn" className="rounded-lg border border-line">
      <header className="flex gap-3 px-3 pt-2 text-[13px]">
        <time
          dateTime={new Date(openedAt).toISOString()}
          className="w-16 shrink-0 pt-px text-xs text-faint tabular-nums"
        >
          {clockTime(openedAt)}
        </time>
        <div className="min-w-0 grow">
          <p className="truncate">
            <Link
              to={pathTo.message(channelId, turn.threadRootMessageId)}
              className="hover:underline"
            >
              {said ? (
                <>
                  <span className="font-semibold">{said.author}</span> {said.text}
                </>
              ) : (
                'A message'
              )}
            </Link>
          </p>
          <p className="text-xs text-soft">
            {outcome === undefined ? (
              <span className="font-medium text-accent">open</span>
            ) : (
              closedText(outcome)
            )}
            {` · ${facts.join(' · ')}`}
          </p>
        </div>
      </header>
      <Lanes leases={leases} turn={turn} who={who} />
      <details className="border-t border-line px-3 py-1.5 text-[13px]">
        <summary className="cursor-pointer text-xs text-soft">
          {counted(decisions.length, 'decision', 'decisions')}, and why
        </summary>
        <ol className="mt-1.5 space-y-3 pb-1.5">
          {decisions.map((decision) => (
            <Decision key={decision.seq} decision={decision} who={who} />
          ))}
        </ol>
      </details>
    </article>
  );
}

const counted = (count: number, one: string, many: string): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

interface DecisionProps {
  readonly decision: TurnEntry['decisions'][number];
  readonly who: Who;
}

function Decision({ decision, who }: DecisionProps) {
  const { at, candidates, candidateCount } = decision;
  return (
    <li>
      <p>
        <span className="text-xs text-faint tabular-nums">{clockTime(at)}</span>{' '}
        {triggerText(decision, who)}.
      </p>
      {consequences(decision, who).map((line) => (
        <p key={line} className="font-medium">
          {line}
        </p>
      ))}
      <ol className="mt-0.5 list-decimal pl-5 text-xs text-soft marker:text-faint">
        {candidates.map((candidate, i) => {
          const above = candidates[i - 1];
          const isBehind = above !== undefined && candidate.verdict === 'queued';
          return (
            <li
              key={candidate.memberId}
              className={candidate.verdict === 'granted' ? 'font-medium text-ink' : ''}
            >
              {who.nameOf(candidate.memberId)} {reasonText(candidate.reason)}
              {isBehind ? `; behind by ${behindBy(above.score, candidate.score)}` : ''}
            </li>
          );
        })}
      </ol>
      {candidateCount > candidates.length ? (
        <p className="text-xs text-faint">and {candidateCount - candidates.length} more</p>
      ) : null}
    </li>
  );
}
