import type { Message } from '@stoa/protocol';
import { useEffect, useRef } from 'react';
import { CannotShow } from '../app/cannot-show.js';
import { go, Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { ChannelComposer } from '../composer/channel-composer.js';
import { useThreadMessages } from '../data/use-channel-messages.js';
import { useMessage } from '../data/use-message.js';
import { useKey } from '../keys/registry.js';
import { DraftRow } from '../message/draft-row.js';
import { PendingRow } from '../message/pending-row.js';
import { TalkRow } from '../message/talk-row.js';
import { Button, IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { useReplyAsked } from './reply.js';
import { TurnLines } from './turn-lines.js';
import { useThreadScroll } from './use-thread-scroll.js';

interface ThreadPanelProps {
  readonly channelId: string;
  readonly messageId: string;
  readonly me: string;
}

/** The thread that a message belongs to, beside the feed, or instead of it on a narrow screen. */
export function ThreadPanel({ channelId, messageId, me }: ThreadPanelProps) {
  const { data: pointedAt, error } = useMessage(channelId, messageId);
  const close = (): void => go(pathTo.channelPage(channelId));
  useKey('Escape', { does: 'Close the thread', group: 'Thread' }, close);
  const rootId = pointedAt && (pointedAt.threadRootMessageId ?? pointedAt.messageId);
  return (
    <>
      <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3 wide:px-4">
        <Link
          to={pathTo.channelPage(channelId)}
          aria-label="Back to the channel"
          className="-ml-1 flex size-8 items-center justify-center rounded-md hover:bg-hover huge:hidden"
        >
          <Icon name="back" />
        </Link>
        <h2 className="grow text-[15px] font-semibold">Thread</h2>
        <IconButton label="Close the thread" className="max-huge:hidden" onClick={close}>
          <Icon name="close" />
        </IconButton>
      </header>
      {error && !pointedAt ? (
        <CannotShow
          what="message"
          error={error}
          back={{ to: pathTo.channelPage(channelId), label: 'Back to the channel' }}
        />
      ) : rootId === undefined ? null : (
        <OpenThread
          key={rootId}
          channelId={channelId}
          rootId={rootId}
          me={me}
          pointedAt={pointedAt?.messageId === rootId ? undefined : pointedAt}
        />
      )}
    </>
  );
}

interface OpenThreadProps {
  readonly channelId: string;
  readonly rootId: string;
  readonly me: string;
  /** A reply that is looked for. */
  readonly pointedAt: Message | undefined;
}

function OpenThread({ channelId, rootId, me, pointedAt }: OpenThreadProps) {
  const { data: root } = useMessage(channelId, rootId);
  const { view, messages } = useThreadMessages(channelId, rootId, me);
  const around = useRef<HTMLDivElement>(null);
  const scroller = useThreadScroll(view, pointedAt?.messageId);
  const seq = pointedAt?.seq;
  const isReady = view.status === 'ready';
  useEffect(() => {
    if (isReady && seq !== undefined) void messages.showAround(seq);
  }, [messages, isReady, seq]);
  useReplyAsked(() => around.current?.querySelector('textarea')?.focus());
  return (
    <div ref={around} className="flex min-h-0 grow flex-col">
      <div
        ref={scroller}
        role="log"
        aria-label="Replies"
        tabIndex={0}
        className="min-h-0 grow overflow-y-auto pb-2"
      >
        {root ? <TalkRow message={root} where="thread" /> : null}
        <Count root={root} />
        {view.hasOlder ? (
          <More onClick={() => void messages.loadOlder()}>Show earlier replies</More>
        ) : null}
        {view.messages
          .filter(({ supersededByMessageId }) => supersededByMessageId === undefined)
          .map((message) => (
            <div
              key={message.messageId}
              className={message.messageId === pointedAt?.messageId ? 'bg-accent-wash' : ''}
            >
              <TalkRow message={message} where="thread" />
            </div>
          ))}
        {view.hasNewer ? (
          <More onClick={() => void messages.loadNewer()}>Show later replies</More>
        ) : null}
        {view.pending.map((pending) => (
          <PendingRow key={pending.key} pending={pending} isInFeed={false} />
        ))}
        {view.writing.map((writing) => (
          <DraftRow key={writing.runId} writing={writing} isInFeed={false} />
        ))}
      </div>
      <TurnLines channelId={channelId} rootId={rootId} />
      <ChannelComposer channelId={channelId} me={me} messages={messages} rootId={rootId} />
    </div>
  );
}

function Count({ root }: { readonly root: Message | undefined }) {
  const count = root?.replyCount ?? 0;
  return (
    <p className="mt-2 flex items-center gap-3 px-4 text-xs text-faint">
      {count === 0 ? 'No replies yet' : count === 1 ? '1 reply' : `${count} replies`}
      <span className="h-px grow bg-line" />
    </p>
  );
}

function More({ onClick, children }: { readonly onClick: () => void; readonly children: string }) {
  return (
    <div className="flex justify-center py-1">
      <Button look="quiet" onClick={onClick}>
        {children}
      </Button>
    </div>
  );
}
