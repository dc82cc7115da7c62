import type { DecisionReader } from '@stoa/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { CannotShow } from '../app/cannot-show.js';
import { Page } from '../app/page.js';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { client } from '../data/client.js';
import { useChannel, useMembers } from '../data/queries.js';
import { dayName } from '../feed/days.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/empty.js';
import { costText, countText, tokensOf } from '../usage/amounts.js';
import { Choose } from '../usage/choose.js';
import { clockTime } from './clock.js';
import { EventRow } from './event-row.js';
import type { Entry } from './story.js';
import { TurnCard } from './turn-card.js';
import { useTimeline } from './use-timeline.js';

const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'turn', label: 'Turns' },
  { value: 'stimulus', label: 'Stimuli' },
  { value: 'work', label: 'Work' },
] as const;

type Kind = (typeof KINDS)[number]['value'];

interface TimelineScreenProps {
  readonly page: { readonly channelId: string };
}

export function TimelineScreen({ page: { channelId } }: TimelineScreenProps) {
  const { data: channel, error } = useChannel(channelId);
  if (error && !channel) {
    return (
      <Page title="Timeline">
        <CannotShow what="channel" error={error} />
      </Page>
    );
  }
  return (
    <Page
      title={channel ? `${channel.title}: timeline` : 'Timeline'}
      back={{ to: pathTo.channelPage(channelId), label: 'Back to the channel' }}
      actions={
        <Link
          to={pathTo.channelSettingsPage(channelId)}
          className="rounded-md px-2 py-1 text-[13px] text-soft hover:bg-hover hover:text-ink"
        >
          Settings
        </Link>
      }
    >
      {/* Another channel is another log. */}
      <Log key={channelId} channelId={channelId} />
    </Page>
  );
}

function Log({ channelId }: { readonly channelId: string }) {
  const { entries, isRead, hasOlder, isLoading, problem, loadOlder } = useTimeline(channelId);
  const [kind, setKind] = useState<Kind>('all');
  const reader = useReader(channelId, entries);
  const shown = entries.filter((entry) => kind === 'all' || entry.kind === kind);
  if (problem !== undefined && !isRead) {
    return <Empty title="The timeline cannot be loaded">{problem}</Empty>;
  }
  return (
    <div className="w-full max-w-3xl px-4 py-4 wide:px-8">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <Choose label="Show" choices={KINDS} chosen={kind} onChoose={setKind} />
        <ChannelCost channelId={channelId} />
      </div>
      {isRead && shown.length === 0 ? (
        <Empty title={hasOlder ? 'Nothing recent' : 'Nothing yet'}>
          After the next message this page shows who got a turn, why, and what it cost.
        </Empty>
      ) : null}
      <ol aria-label="Timeline" className="space-y-2">
        {withDays(shown).map(({ entry, day }) => (
          <li key={`${entry.kind}-${entry.key}`}>
            {day === undefined ? null : (
              <h2 className="pt-3 pb-2 text-xs font-semibold text-faint">{day}</h2>
            )}
            {entry.kind === 'turn' ? (
              <TurnCard channelId={channelId} entry={entry} reader={reader} />
            ) : (
              <EventRow channelId={channelId} entry={entry} />
            )}
          </li>
        ))}
      </ol>
      {hasOlder ? (
        <div className="py-4 text-center">
          <Button disabled={isLoading} onClick={loadOlder}>
            {isLoading ? 'Loading…' : 'Older'}
          </Button>
        </div>
      ) : null}
      {problem === undefined ? null : <p className="text-[13px] text-danger">{problem}</p>}
    </div>
  );
}

function useReader(channelId: string, entries: readonly Entry[]): DecisionReader {
  const { data: members } = useMembers(channelId);
  return useMemo(
    () => ({
      names: new Map(members?.map(({ memberId, displayName }) => [memberId, displayName])),
      holders: new Map(
        entries
          .flatMap((entry) => (entry.kind === 'turn' ? entry.leases : []))
          .map(({ leaseId, memberId }) => [leaseId, memberId]),
      ),
      timeOf: clockTime,
      isBrief: true,
    }),
    [members, entries],
  );
}

function withDays(entries: readonly Entry[]): { entry: Entry; day: string | undefined }[] {
  const now = Date.now();
  let last: string | undefined;
  return entries.map((entry) => {
    const day = dayName(entry.at, now);
    const isNew = day !== last;
    last = day;
    return { entry, day: isNew ? day : undefined };
  });
}

const POLL_MS = 15_000;

/** What the channel took altogether. */
function ChannelCost({ channelId }: { readonly channelId: string }) {
  const { data: report } = useQuery({
    queryKey: ['usage', 'channel', undefined],
    queryFn: () => client.usage({ by: 'channel' }),
    refetchInterval: POLL_MS,
  });
  if (!report) return null;
  const usage = report.groups.find(({ key }) => key === channelId)?.usage;
  return (
    <p className="text-[13px] text-soft">
      {usage
        ? `Total: ${countText(tokensOf(usage))} tokens, cost ${costText(usage.cost, report.currency)}`
        : 'No model was called here yet'}
    </p>
  );
}
