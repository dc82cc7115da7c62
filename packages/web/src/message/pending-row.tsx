import { textOf } from '@stoa/protocol/constants';
import { putBack } from '../composer/use-draft.js';
import { sendQueueOf } from '../data/browser-send-queue.js';
import { conversationKey, type Pending } from '../data/pending.js';
import { useMe } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { Attachment } from './attachment.js';
import { Markdown } from './markdown.js';
import { MessageFrame } from './message-frame.js';

interface PendingRowProps {
  readonly pending: Pending;
  readonly isContinued?: boolean;
  /** Whether it is shown among other threads, so that replies and roots must be distinguishable. */
  readonly isInFeed?: boolean;
}

/** An own message that the daemon has not confirmed yet. */
export function PendingRow({ pending, isContinued = false, isInFeed = true }: PendingRowProps) {
  const { data: me } = useMe();
  if (!me) return null;
  const { post, state, reason, key, channelId } = pending;
  const text = post.text ?? textOf(post.inputItems ?? [], '');
  const attached =
    post.inputItems?.flatMap((item) => (item.type === 'asset_reference' ? [item.assetId] : [])) ??
    [];
  const sendQueue = sendQueueOf(me.actorId);
  const writeOn = (): void => {
    sendQueue.discard(key);
    putBack(conversationKey(channelId, post.threadRootMessageId), text);
  };
  return (
    <MessageFrame
      author={{ kind: 'human', displayName: me.displayName }}
      isContinued={isContinued}
      isReply={isInFeed && post.threadRootMessageId !== undefined}
      remark={<span className="text-xs text-faint">{WORDS[state]}</span>}
    >
      <div className={state === 'failed' ? '' : 'opacity-70'}>
        <Markdown text={text} />
        {attached.map((assetId) => (
          <Attachment key={assetId} assetId={assetId} />
        ))}
      </div>
      {state === 'failed' ? (
        <div
          role="alert"
          className="mt-1 flex flex-wrap items-center gap-2 text-[13px] text-danger"
        >
          <span>Not sent: {reason}</span>
          <Button onClick={() => sendQueue.retry(key)}>Try again</Button>
          {attached.length === 0 ? <Button onClick={writeOn}>Edit</Button> : null}
          <Button look="quiet" onClick={() => sendQueue.discard(key)}>
            Discard
          </Button>
        </div>
      ) : null}
    </MessageFrame>
  );
}

const WORDS = {
  sending: 'sending…',
  waiting: 'waiting for the daemon',
  failed: '',
} as const;
