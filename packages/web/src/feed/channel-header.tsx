import type { ReactNode } from 'react';
import { BackLink } from '../app/back-link.js';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { useChannel, useMembers } from '../data/queries.js';
import { Icon } from '../ui/icon.js';

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

interface ChannelHeaderProps {
  readonly channelId: string;
  /** Where there is no such channel there is nothing to go to. */
  readonly isGone: boolean;
  /** Buttons at the end: search, timeline, settings. */
  readonly actions?: ReactNode;
}

export function ChannelHeader({ channelId, isGone, actions }: ChannelHeaderProps) {
  const { data: channel } = useChannel(channelId);
  const { data: members } = useMembers(channelId);
  // Agents first: whom one can talk to is what one wants to know.
  const names = (members ?? [])
    .toSorted((a, b) => b.memberKind.localeCompare(a.memberKind))
    .map(({ displayName }) => displayName);
  return (
    <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3 wide:px-4">
      <BackLink />
      <h1
        className="min-w-0 truncate text-[15px] font-semibold wide:max-w-[50%] wide:shrink-0"
        title={channel?.title}
      >
        {channel?.title ?? channelId}
      </h1>
      {/* It has what the others leave: however long it is, it takes nothing from them. */}
      <p className="hidden min-w-0 grow basis-0 truncate text-[13px] text-faint wide:block">
        {channel?.purpose}
      </p>
      <p
        className="ml-auto min-w-0 truncate text-[13px] text-soft wide:max-w-[40%]"
        title={names.join(', ')}
      >
        <span className="hidden wide:inline">{names.join(', ')}</span>
        <span className="wide:hidden">
          {names.length === 0 ? '' : counted(names.length, 'member')}
        </span>
      </p>
      {isGone ? null : (
        <>
          {actions}
          <HeaderLink to={pathTo.timelinePage(channelId)} label="Timeline">
            <Icon name="timeline" />
          </HeaderLink>
          <HeaderLink to={pathTo.channelSettingsPage(channelId)} label="Channel settings">
            <Icon name="settings" />
          </HeaderLink>
        </>
      )}
    </header>
  );
}

interface HeaderLinkProps {
  readonly to: string;
  readonly label: string;
  readonly children: ReactNode;
}

function HeaderLink({ to, label, children }: HeaderLinkProps) {
  return (
    <Link
      to={to}
      title={label}
      aria-label={label}
      className="flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
    >
      {children}
    </Link>
  );
}
