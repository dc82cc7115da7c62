import type { ChannelView } from '../data/channel-messages.js';
import { Empty } from '../ui/empty.js';

/** What is said above or instead of the messages: that there are none to show, and why. */
export function FeedState({ view }: { readonly view: ChannelView }) {
  const { status, problem, messages, loading } = view;
  if (status === 'failed' && messages.length === 0) {
    const isGone = problem?.code === 'channel_not_found' || problem?.code === 'topic_not_found';
    return (
      <Empty title={isGone ? 'There is no such channel' : 'This channel cannot be read'}>
        {isGone
          ? 'It was deleted, or the address is wrong. The others are on the left.'
          : (problem?.detail ?? 'The daemon did not say why.')}
      </Empty>
    );
  }
  if (loading === 'older') {
    return <p className="py-2 text-center text-xs text-faint">Loading what was said before…</p>;
  }
  return null;
}
