import type { Message } from '@stoa/protocol';
import type { ReactNode } from 'react';
import { momentOf } from '../feed/days.js';
import { Guarded } from '../ui/guarded.js';
import { Attachment } from './attachment.js';
import { changedDefinitionIn, DefinitionNotice } from './definition-notice.js';
import { Markdown } from './markdown.js';
import { markdownOf } from './markdown-of.js';
import { MessageFrame } from './message-frame.js';
import { PlainMessage } from './plain-message.js';

interface MessageRowProps {
  readonly message: Message;
  readonly isContinued?: boolean;
  /** Whether it is shown among other threads, so that replies and roots must be distinguishable. */
  readonly isInFeed?: boolean;
  readonly before?: ReactNode;
  readonly actions?: ReactNode;
  /** Content below the text: reactions, replies. */
  readonly below?: ReactNode;
}

export function MessageRow({
  message,
  isContinued = false,
  isInFeed = true,
  before,
  actions,
  below,
}: MessageRowProps) {
  const { author, createdAt, editedAt, messageId, threadRootMessageId } = message;
  return (
    <MessageFrame
      id={messageId}
      author={author}
      at={createdAt}
      isContinued={isContinued}
      isReply={isInFeed && threadRootMessageId !== undefined}
      isDated={!isInFeed}
      before={before}
      actions={actions}
      remark={
        editedAt === undefined ? null : (
          <span className="text-xs text-faint" title={momentOf(editedAt)}>
            edited
          </span>
        )
      }
    >
      <Guarded
        of={message}
        instead={<PlainMessage text={markdownOf(message) || 'An attachment'} reason="failed" />}
      >
        <MessageBody message={message} />
      </Guarded>
      {below}
    </MessageFrame>
  );
}

/** What a message says; of one that was deleted, that it was. */
function MessageBody({ message }: { readonly message: Message }) {
  if (message.deletedAt !== undefined) {
    return <p className="text-faint italic">This message was deleted.</p>;
  }
  const changed = changedDefinitionIn(message);
  if (changed) return <DefinitionNotice {...changed} />;
  return message.inputItems.map((item, index) =>
    item.type === 'text' ? (
      // Items have no names of their own and never change their order.
      <Markdown key={index} text={item.text} />
    ) : (
      <Attachment key={item.assetId} assetId={item.assetId} />
    ),
  );
}
