import { type DecisionReader, decisionWords, turnOutcomeWords } from '@stoa/client';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { countText } from '../usage/amounts.js';
import { clockTime, spanText } from './clock.js';
import { Lanes } from './lanes.js';
import type { TurnEntry } from './story.js';

interface TurnCardProps {
  readonly channelId: string;
  readonly entry: TurnEntry;
  readonly reader: DecisionReader;
}

/** One turn: what opened it, who had it for how long, what was decided, and what it took. */
export function TurnCard({ channelId, entry, reader }: TurnCardProps) {
  const { turn, opening, leases, decisions } = entry;
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
              to={pathTo.messagePage(channelId, turn.threadRootMessageId)}
              className="hover:underline"
            >
              {opening ? (
                <>
                  <span className="font-semibold">{opening.author}</span> {opening.text}
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
              turnOutcomeWords(outcome)
            )}
            {` · ${facts.join(' · ')}`}
          </p>
        </div>
      </header>
      <Lanes leases={leases} turn={turn} names={reader.names} />
      <details className="border-t border-line px-3 py-1.5 text-[13px]">
        <summary className="cursor-pointer text-xs text-soft">
          {counted(decisions.length, 'decision', 'decisions')} with reasons
        </summary>
        <ol className="mt-1.5 space-y-3 pb-1.5">
          {decisions.map((decision) => (
            <Decision key={decision.seq} decision={decision} reader={reader} />
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
  readonly reader: DecisionReader;
}

function Decision({ decision, reader }: DecisionProps) {
  const { at } = decision;
  const { trigger, candidates, others, nobody, consequences } = decisionWords(decision, reader);
  return (
    <li>
      <p>
        <span className="text-xs text-faint tabular-nums">{clockTime(at)}</span>: {trigger}.
      </p>
      {consequences.map((line) => (
        <p key={line} className="font-medium">
          → {line}
        </p>
      ))}
      {nobody === undefined ? null : <p className="text-xs text-soft">{nobody}</p>}
      <ol className="mt-0.5 list-decimal pl-5 text-xs text-soft marker:text-faint">
        {candidates.map(({ memberId, name, verdict, because, behindBy }) => (
          <li key={memberId} className={verdict === 'granted' ? 'font-medium text-ink' : ''}>
            {name} · {because}
            {behindBy !== undefined && verdict === 'queued' ? ` · ranked lower: ${behindBy}` : ''}
          </li>
        ))}
      </ol>
      {others.map((line) => (
        <p key={line} className="text-xs text-faint">
          and {line}
        </p>
      ))}
    </li>
  );
}
