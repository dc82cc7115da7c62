import { useEffect } from 'react';
import { useChannels } from '../data/queries.js';
import { Empty } from '../ui/empty.js';
import { kept } from './kept.js';
import { go } from './router.js';
import { pathTo } from './routes.js';

/** On a wide screen there is no need to choose first: the channel of the last time is opened, or the first. */
export function Home() {
  const { data: channels } = useChannels();
  useEffect(() => {
    if (!channels || !matchMedia('(width >= 45rem)').matches) return;
    const last = kept(LAST_CHANNEL);
    const channel = channels.find(({ channelId }) => channelId === last) ?? channels[0];
    if (channel) go(pathTo.channelPage(channel.channelId), { replace: true });
  }, [channels]);
  if (channels?.length !== 0) return null;
  return (
    <Empty title="No channels yet">
      A channel is a lasting conversation between people and agents. Create the first one with{' '}
      <b>New channel</b>, on the left.
    </Empty>
  );
}

export const LAST_CHANNEL = 'last-channel';
