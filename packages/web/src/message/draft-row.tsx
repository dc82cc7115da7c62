import type { Writing } from '@stoa/client';
import { Markdown } from './markdown.js';
import { MessageFrame } from './message-frame.js';

interface DraftRowProps {
  readonly writing: Writing;
  /** Whether it is shown among other threads, so that replies and roots must be distinguishable. */
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
      {/* Announced when it is posted, not word by word. */}
      <div data-draft aria-live="off" className="text-soft">
        <Markdown text={writing.text} />
      </div>
    </MessageFrame>
  );
}
