import type { Message } from '@stoa/protocol';
import type { ReactNode } from 'react';

interface MessageRowProps {
  readonly message: Message;
  /** Buttons that are shown while the pointer or the focus is on the message. */
  readonly actions?: ReactNode;
  /** What stands below the text: reactions, replies. */
  readonly below?: ReactNode;
}

export function MessageRow({ message, actions, below }: MessageRowProps) {
  const { author, inputItems } = message;
  return (
    <article
      aria-label={`${author.displayName}`}
      className="group relative px-4 py-1 hover:bg-hover"
    >
      <span className="font-semibold">{author.displayName}</span>
      {inputItems.map((item) => (item.type === 'text' ? item.text : null))}
      {below}
      {actions}
    </article>
  );
}
