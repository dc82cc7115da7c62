import type { ReactNode } from 'react';
import { Link, usePage } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { useChannels, useSessions, useUnread } from '../data/queries.js';
import { palette } from '../palette/palette-state.js';
import { StatusDot } from '../session/status-dot.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { NewChannel } from './new-channel.js';
import { SidebarFoot } from './sidebar-foot.js';

export function Sidebar() {
  return (
    <>
      <div className="flex h-11 shrink-0 items-center pr-3 pl-4">
        <span className="grow text-[15px] font-semibold">Stoa</span>
        <IconButton label="Search" onClick={() => palette.open('all')}>
          <Icon name="search" />
        </IconButton>
      </div>
      <div className="min-h-0 grow overflow-y-auto px-2 pt-1 pb-3">
        <Channels />
        <Sessions />
      </div>
      <SidebarFoot />
    </>
  );
}

function Channels() {
  const page = usePage();
  const { data: channels } = useChannels();
  const { data: unread } = useUnread();
  return (
    <Section title="Channels" action={<NewChannel />}>
      {channels?.map(({ channelId, title, paused }) => {
        const count = unread?.find((cursor) => cursor.channelId === channelId)?.unreadCount ?? 0;
        const isHere = page !== undefined && 'channelId' in page && page.channelId === channelId;
        return (
          <Row
            key={channelId}
            to={pathTo.channelPage(channelId)}
            isHere={isHere}
            isLoud={count > 0}
          >
            <Icon name="hash" className="text-faint" />
            <span className="truncate">{title}</span>
            {paused ? <span className="text-xs text-faint">paused</span> : null}
            {count > 0 && !isHere ? (
              <span className="ml-auto rounded-full bg-accent px-1.5 text-[11px] font-semibold text-accent-ink">
                {count > 99 ? '99+' : count}
                <span className="sr-only"> unread</span>
              </span>
            ) : null}
          </Row>
        );
      })}
    </Section>
  );
}

function Sessions() {
  const page = usePage();
  const { data: sessions } = useSessions();
  if (!sessions || sessions.length === 0) return null;
  return (
    <Section title="Sessions">
      {sessions.map(({ sessionId, title, agentName, status }) => (
        <Row
          key={sessionId}
          to={pathTo.sessionPage(sessionId)}
          isHere={page?.page === 'sessionPage' && page.sessionId === sessionId}
        >
          <span className="flex size-4 shrink-0 items-center justify-center">
            <StatusDot status={status} />
          </span>
          <span className="max-w-[60%] shrink-0 truncate">{agentName}</span>
          <span className="truncate text-faint">{title}</span>
          {status === 'idle' ? null : (
            <span
              className={`ml-auto shrink-0 text-xs ${status === 'waiting' ? 'text-warn' : 'text-faint'}`}
            >
              {status}
            </span>
          )}
        </Row>
      ))}
    </Section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Section({ title, action, children }: SectionProps) {
  return (
    <section className="mb-4">
      <div className="flex h-7 items-center justify-between px-2">
        <h2 className="text-xs font-semibold text-faint">{title}</h2>
        {action}
      </div>
      <ul>{children}</ul>
    </section>
  );
}

interface RowProps {
  readonly to: string;
  readonly isHere: boolean;
  readonly isLoud?: boolean;
  readonly children: ReactNode;
}

function Row({ to, isHere, isLoud = false, children }: RowProps) {
  const look = isHere ? 'bg-hover text-ink' : isLoud ? 'font-semibold text-ink' : 'text-soft';
  return (
    <li>
      <Link
        to={to}
        aria-current={isHere ? 'page' : undefined}
        className={`flex h-8 items-center gap-2 rounded-md px-2 text-[13px] hover:bg-hover wide:h-7 ${look}`}
      >
        {children}
      </Link>
    </li>
  );
}
