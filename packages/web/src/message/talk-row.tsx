import type { Message } from '@stoa/protocol';
import type { ReactNode } from 'react';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { useMe, useMembers } from '../data/queries.js';
import { whenOf } from '../feed/days.js';
import { EditMessage } from './edit-message.js';
import { editing, useEdited, type Where } from './editing.js';
import { MessageActions } from './message-actions.js';
import { MessageRow } from './message-row.js';
import { Reactions } from './reactions.js';

interface TalkRowProps {
  readonly message: Message;
  readonly where: Where;
  readonly isContinued?: boolean;
  readonly before?: ReactNode;
}

/** A message with what can be done about it. */
export function TalkRow({ message, where, ...row }: TalkRowProps) {
  const { data: me } = useMe();
  const { data: members } = useMembers(message.channelId);
  const isEdited = useEdited(where) === message.messageId;
  if (!me) return null;
  if (message.deletedAt !== undefined) {
    return (
      <MessageRow
        {...row}
        isInFeed={where === 'feed'}
        message={message}
        below={where === 'feed' ? <Replies message={message} /> : null}
      />
    );
  }
  if (isEdited) return <EditMessage message={message} onEnd={editing.end} />;
  return (
    <MessageRow
      {...row}
      isInFeed={where === 'feed'}
      message={message}
      actions={<MessageActions message={message} me={me} where={where} />}
      below={
        <>
          <Reactions message={message} me={me.actorId} members={members} />
          {where === 'feed' ? <Replies message={message} /> : null}
        </>
      }
    />
  );
}

function Replies({ message }: { readonly message: Message }) {
  const { channelId, lastReplyAt, messageId, replyCount } = message;
  if (replyCount === 0) return null;
  return (
    <Link
      to={pathTo.messagePage(channelId, messageId)}
      className="mt-0.5 inline-block text-xs text-accent hover:underline"
    >
      {replyCount === 1 ? '1 reply' : `${replyCount} replies`}
      {lastReplyAt === undefined ? null : (
        <span className="text-faint"> · last {whenOf(lastReplyAt)}</span>
      )}
    </Link>
  );
}
