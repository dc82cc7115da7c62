import type { Writing } from '@stoa/client';
import { Markdown } from './markdown.js';
import { MessageFrame } from './message-frame.js';

interface DraftRowProps {
  readonly writing: Writing;
  /** Whether it stands among other threads, so that a reply has to be told from a root. */
  readonly isInFeed?: boolean;
}

/** What an agent is about to say, as far as it is written. It becomes a message, or is withdrawn. */
export function DraftRow({ writing, isInFeed = true }: DraftRowProps) {
  return (
    <MessageFrame
      author={{ kind: 'agent', displayName: writing.displayName }}
      isReply={isInFeed}
      remark={<span className="text-xs text-accent">is writing…</span>}
    >
      {/* Read out when it is said, not word by word. */}
      <div data-draft aria-live="off" className="text-soft">
        <Markdown text={writing.text} />
      </div>
    </MessageFrame>
  );
}
