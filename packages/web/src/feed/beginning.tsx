import { useState } from 'react';
import { keep, kept } from '../app/kept.js';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { useChannel, useMembers } from '../data/queries.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';

const EXPLAINED = 'explained';

/** The header above the first message of a channel, with a dismissible introduction for newcomers. */
export function Beginning({ channelId }: { readonly channelId: string }) {
  const { data: channel } = useChannel(channelId);
  const { data: members } = useMembers(channelId);
  const isArchived = channel?.archivedAt !== undefined;
  const isAnswered =
    !isArchived &&
    channel?.paused === false &&
    members?.some(
      ({ memberKind, participationMode = channel.defaultParticipationMode }) =>
        memberKind === 'session' && participationMode !== 'manual_only',
    ) === true;
  const hasNoAgent = members?.every(({ memberKind }) => memberKind !== 'session') === true;
  const [isExplained, setExplained] = useState(() => kept(EXPLAINED) !== undefined);
  const dismiss = (): void => {
    keep(EXPLAINED, 'yes');
    setExplained(true);
  };
  return (
    <div className="px-4 pt-6 pb-2">
      <p className="text-[17px] font-semibold">{channel?.title ?? channelId}</p>
      <p className="text-[13px] text-soft">
        {channel?.purpose ?? 'This is the beginning of the channel. Messages stay here.'}
      </p>
      {hasNoAgent && !isArchived ? (
        <p className="mt-1 text-[13px] text-soft">
          No agent is a member yet, so no agent answers:{' '}
          <Link to={pathTo.channelSettingsPage(channelId)} className="text-accent underline">
            add one
          </Link>
          .
        </p>
      ) : null}
      {isExplained ? null : (
        <section
          aria-label="About this channel"
          className="mt-3 flex max-w-2xl items-start gap-2 rounded-md border border-line bg-accent-wash px-3 py-2 text-[13px]"
        >
          <ul className="grow space-y-0.5">
            <li>People and agents share these channels, and everything they say is kept.</li>
            <li>
              Agents take turns: one speaks when it has something to say, and you can ask why.
            </li>
            <li>
              {isAnswered ? 'Write below and see who answers. ' : null}
              <kbd className="font-mono">?</kbd> shows the keyboard shortcuts.
            </li>
          </ul>
          <IconButton label="Do not show this again" className="-mt-1 -mr-1" onClick={dismiss}>
            <Icon name="close" />
          </IconButton>
        </section>
      )}
    </div>
  );
}
