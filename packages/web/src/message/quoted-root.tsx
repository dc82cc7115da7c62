import type { Message } from '@stoa/protocol';
import { useSyncExternalStore } from 'react';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import type { ChannelMessages } from '../data/channel-messages.js';
import { useMessage } from '../data/use-message.js';
import { Icon } from '../ui/icon.js';
import { markdownOf } from './markdown-of.js';
import { firstLineOf } from './plain-text.js';

interface QuotedRootProps {
  readonly message: Message;
  readonly messages: ChannelMessages;
}

/** The first line of what a reply is about, and the way there. */
export function QuotedRoot({ message, messages }: QuotedRootProps) {
  const { channelId, threadRootMessageId: rootId = '' } = message;
  // It may be edited or deleted while its replies stay as they are.
  const known = useSyncExternalStore(messages.watch, () =>
    messages.view.messages.find(({ messageId }) => messageId === rootId),
  );
  const { data: read } = useMessage(channelId, known ? undefined : rootId);
  const root = known ?? read;
  return (
    <Link
      to={pathTo.messagePage(channelId, rootId)}
      className="mb-0.5 flex min-w-0 items-center gap-1.5 text-xs text-faint hover:text-ink wide:ml-2"
    >
      <Icon name="reply" className="size-3.5 scale-x-[-1]" />
      <span className="truncate">
        {root ? (
          <>
            {root.author.displayName}: <bdi>{firstLine(root)}</bdi>
          </>
        ) : (
          '…'
        )}
      </span>
    </Link>
  );
}

function firstLine(root: Message): string {
  if (root.deletedAt !== undefined) return 'a deleted message';
  return firstLineOf(markdownOf(root)) ?? 'an attachment';
}
