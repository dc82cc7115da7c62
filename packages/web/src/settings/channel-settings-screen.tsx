import { CannotShow } from '../app/cannot-show.js';
import { Page } from '../app/page.js';
import { pathTo } from '../app/routes.js';
import { useChannel } from '../data/queries.js';
import { ChannelGeneral } from './channel-general.js';
import { ChannelMembers } from './channel-members.js';
import { ChannelPolicy } from './channel-policy.js';
import { ChannelState } from './channel-state.js';
import { Sheet } from './section.js';

export function ChannelSettingsScreen({
  page: { channelId },
}: {
  readonly page: { readonly channelId: string };
}) {
  const { data: channel, error, isPlaceholderData } = useChannel(channelId);
  const back = { to: pathTo.channelPage(channelId), label: 'Back to the channel' };
  if (error && !channel) {
    return (
      <Page title="Channel settings" back={back}>
        <CannotShow what="channel" error={error} />
      </Page>
    );
  }
  return (
    <Page title={channel ? `${channel.title}: settings` : 'Channel settings'} back={back}>
      {channel && !isPlaceholderData ? (
        // Another channel is another form.
        <Sheet key={channelId}>
          <ChannelGeneral channel={channel} />
          <ChannelMembers channel={channel} />
          <ChannelPolicy channel={channel} />
          <ChannelState channel={channel} />
        </Sheet>
      ) : null}
    </Page>
  );
}
