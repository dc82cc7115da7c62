import type { ChannelMessages } from '../data/channel-messages.js';
import type { Pending } from '../data/pending.js';
import { useMe } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { Markdown } from './markdown.js';
import { MessageFrame } from './message-frame.js';

interface PendingRowProps {
  readonly pending: Pending;
  readonly isContinued?: boolean;
  readonly messages: ChannelMessages;
}

/** An own message that the daemon has not confirmed yet. */
export function PendingRow({ pending, isContinued = false, messages }: PendingRowProps) {
  const { data: me } = useMe();
  const { post, state, reason, key } = pending;
  const texts = post.inputItems?.map((item) => (item.type === 'text' ? item.text : '')) ?? [];
  return (
    <MessageFrame
      author={{ kind: 'human', displayName: me?.displayName ?? '' }}
      isContinued={isContinued}
      isReply={post.threadRootMessageId !== undefined}
      remark={<span className="text-xs text-faint">{WORDS[state]}</span>}
    >
      <div className={state === 'failed' ? '' : 'opacity-70'}>
        <Markdown text={post.text ?? texts.join('\n')} />
      </div>
      {state === 'failed' ? (
        <div
          role="alert"
          className="mt-1 flex flex-wrap items-center gap-2 text-[13px] text-danger"
        >
          <span>Not sent: {reason}</span>
          <Button onClick={() => messages.retry(key)}>Try again</Button>
          <Button look="quiet" onClick={() => messages.discard(key)}>
            Discard
          </Button>
        </div>
      ) : null}
    </MessageFrame>
  );
}

const WORDS = {
  sending: 'sending…',
  waiting: 'waits for the daemon',
  failed: '',
} as const;
