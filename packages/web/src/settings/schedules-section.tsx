import type { Schedule } from '@stoa/protocol';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { client } from '../data/client.js';
import { queryClient, useSessions } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';
import { toast } from '../ui/toast.js';
import { cadenceText } from './cadence.js';
import { NewSchedule, SCHEDULES_KEY } from './new-schedule.js';
import { Mark, Row, Rows, Section } from './section.js';
import { when } from './when.js';

const POLL_MS = 10_000;

export function SchedulesSection() {
  const [isNew, setNew] = useState(false);
  const schedules = useInfiniteQuery({
    queryKey: SCHEDULES_KEY,
    queryFn: ({ pageParam: before }) => client.schedules.list({ limit: 50, before }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextBefore }) => nextBefore,
    refetchInterval: POLL_MS,
  });
  const shown = schedules.data?.pages.flatMap((page) => page.schedules);
  return (
    <Section
      title="Schedules"
      about="Prompts that sessions receive at set times."
      action={<Button onClick={() => setNew(true)}>New schedule</Button>}
    >
      {shown?.length === 0 ? (
        <p className="text-[13px] text-soft">Nothing is scheduled.</p>
      ) : (
        <Rows label="Schedules" error={shown ? null : schedules.error}>
          {shown?.map((schedule) => (
            <ScheduleRow key={schedule.scheduleId} schedule={schedule} />
          ))}
        </Rows>
      )}
      {schedules.hasNextPage ? (
        <Button look="quiet" className="mt-2" onClick={() => void schedules.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
      {isNew ? <NewSchedule onClose={() => setNew(false)} /> : null}
    </Section>
  );
}

function ScheduleRow({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId, sessionId, title, cadence, status, nextFireAt, fires, skipped } = schedule;
  const { data: sessions } = useSessions();
  const session = sessions?.find((each) => each.sessionId === sessionId);
  const [asked, setAsked] = useState(false);
  const act = useMutation({
    mutationFn: (deed: 'pause' | 'resume' | 'trigger' | 'end') =>
      client.schedules[deed](scheduleId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: SCHEDULES_KEY }),
    onError: toast.problem,
  });
  return (
    <Row
      title={title}
      mark={
        status === 'active' ? null : (
          <Mark look={status === 'paused' ? 'warn' : 'plain'}>{status}</Mark>
        )
      }
      about={
        <>
          {cadenceText(cadence)} ·{' '}
          <Link
            to={pathTo.sessionPage(sessionId)}
            className="underline decoration-line hover:text-ink"
          >
            {session?.agentName ?? sessionId}
          </Link>
          {` · ${fires} ${fires === 1 ? 'fire' : 'fires'}${skipped === 0 ? '' : `, ${skipped} skipped`}`}
          {nextFireAt === undefined || status !== 'active' ? null : ` · next ${when(nextFireAt)}`}
        </>
      }
    >
      {status === 'ended' ? null : asked ? (
        <>
          <Button look="danger" disabled={act.isPending} onClick={() => act.mutate('end')}>
            End {title}
          </Button>
          <Button look="quiet" onClick={() => setAsked(false)}>
            Keep
          </Button>
        </>
      ) : (
        <>
          <Button
            disabled={act.isPending}
            onClick={() => act.mutate(status === 'paused' ? 'resume' : 'pause')}
          >
            {status === 'paused' ? 'Resume' : 'Pause'}
          </Button>
          <Menu
            label={`More about ${title}`}
            items={[
              { label: 'Fire now', onSelect: () => act.mutate('trigger') },
              { label: 'End…', danger: true, onSelect: () => setAsked(true) },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </>
      )}
    </Row>
  );
}
