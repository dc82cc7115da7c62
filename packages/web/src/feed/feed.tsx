import type { ChannelMessages, ChannelView } from '../data/channel-messages.js';
import { MessageRow } from '../message/message-row.js';

interface FeedProps {
  readonly channelId: string;
  readonly view: ChannelView;
  readonly messages: ChannelMessages;
}

export function Feed({ view }: FeedProps) {
  return (
    <div role="log" aria-label="Messages" className="min-h-0 grow overflow-y-auto py-3">
      {view.messages.map((message) => (
        <MessageRow key={message.messageId} message={message} />
      ))}
    </div>
  );
}
