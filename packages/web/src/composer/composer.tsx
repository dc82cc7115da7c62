import type { PostMessage } from '@stoa/protocol';
import { useState } from 'react';

interface ComposerProps {
  readonly channelId: string;
  readonly draftKey: string;
  readonly onPost: (post: PostMessage) => void;
}

export function Composer({ onPost }: ComposerProps) {
  const [text, setText] = useState('');
  return (
    <textarea
      aria-label="Message"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || text.trim() === '') return;
        event.preventDefault();
        onPost({ text });
        setText('');
      }}
      className="m-3 rounded-md border border-line bg-raised p-2"
    />
  );
}
