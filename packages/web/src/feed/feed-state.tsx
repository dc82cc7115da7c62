import type { ChannelView } from '../data/channel-view.js';
import { isMissing, isTemporary } from '../data/failures.js';
import { Empty } from '../ui/empty.js';

/** Notice above or instead of the messages: there are none to show, and why. */
export function FeedState({ view }: { readonly view: ChannelView }) {
  const { status, problem, messages, loading } = view;
  if (status === 'failed' && messages.length === 0) {
    if (isTemporary(problem)) {
      return (
        <Empty title="This channel cannot be read now">It will be when the daemon is back.</Empty>
      );
    }
    const isGone = isMissing(problem);
    return (
      <Empty title={isGone ? 'There is no such channel' : 'This channel cannot be read'}>
        {isGone
          ? 'It was deleted, or the address is wrong. The others are in the list of channels.'
          : (problem?.detail ?? 'The daemon did not say why.')}
      </Empty>
    );
  }
  if (loading === 'older') {
    return <p className="py-2 text-center text-xs text-faint">Loading earlier messages…</p>;
  }
  return null;
}
