import { useEffect } from 'react';
import { LAST_CHANNEL } from '../app/home.js';
import { keep } from '../app/kept.js';
import { Columns } from '../app/layout.js';
import type { AddressOf } from '../app/routes.js';
import { ChannelComposer } from '../composer/channel-composer.js';
import { isMissing } from '../data/failures.js';
import { useMe } from '../data/queries.js';
import { useChannelMessages } from '../data/use-channel-messages.js';
import { useMessageKeys } from '../message/use-message-keys.js';
import { ThreadPanel } from '../thread/thread-panel.js';
import { ChannelHeader } from './channel-header.js';
import { Feed } from './feed.js';
import { JumpToDate } from './jump-to-date.js';
import { OfflineBanner } from './offline-banner.js';
import { usePointing } from './use-pointing.js';

interface ChannelScreenProps {
  /** With a message its thread is open. */
  readonly page: AddressOf<'channelPage'> | AddressOf<'messagePage'>;
}

export function ChannelScreen({ page }: ChannelScreenProps) {
  const { data: me } = useMe();
  // A channel is another thing than the one before: nothing of that is carried over.
  return me ? <OpenChannel key={page.channelId} page={page} me={me.actorId} /> : null;
}

function OpenChannel({ page, me }: ChannelScreenProps & { readonly me: string }) {
  const { channelId } = page;
  const { view, messages } = useChannelMessages(channelId, me);
  useEffect(() => keep(LAST_CHANNEL, channelId), [channelId]);
  const messageId = page.page === 'messagePage' ? page.messageId : undefined;
  const isGone = isMissing(view.problem);
  useMessageKeys();
  const [pointed, jump] = usePointing(messageId);
  return (
    <Columns
      sideLabel="Thread"
      side={
        messageId === undefined ? null : (
          <ThreadPanel channelId={channelId} messageId={messageId} me={me} />
        )
      }
    >
      <ChannelHeader
        channelId={channelId}
        isGone={isGone}
        actions={<JumpToDate channelId={channelId} onFound={jump} />}
      />
      <OfflineBanner />
      <Feed channelId={channelId} me={me} view={view} messages={messages} pointed={pointed} />
      {isGone ? null : <ChannelComposer channelId={channelId} me={me} messages={messages} />}
    </Columns>
  );
}
