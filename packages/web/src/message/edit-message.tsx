import type { Message } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { client } from '../data/client.js';
import { Button } from '../ui/button.js';
import { isByTouch } from '../ui/is-by-touch.js';
import { editing } from './editing.js';
import { markdownOf } from './markdown-of.js';
import { MessageFrame } from './message-frame.js';

interface EditMessageProps {
  readonly message: Message;
  readonly onEnd: () => void;
}

/** An own message while it is changed. What is attached to it stays. */
export function EditMessage({ message, onEnd }: EditMessageProps) {
  const { author, channelId, createdAt, inputItems, messageId } = message;
  const [text, setText] = useState(() => editing.text ?? markdownOf(message));
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const { current } = area;
    // Who comes back to it by scrolling is not held there.
    if (editing.text !== undefined) return;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  const attached = inputItems.filter((item) => item.type !== 'text');
  const edited = text.trim();
  const isSomething = edited !== '' || attached.length > 0;
  const save = useMutation({
    mutationFn: () =>
      client.messages.edit(channelId, messageId, {
        inputItems: [
          ...(edited === '' ? [] : [{ type: 'text' as const, text: edited }]),
          ...attached,
        ],
      }),
    onSuccess: onEnd,
  });
  const write = (next: string): void => {
    setText(next);
    editing.write(next);
  };
  const finish = (): void => {
    if (save.isPending) return;
    if (edited === markdownOf(message)) onEnd();
    else if (isSomething) save.mutate();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      onEnd();
    } else if (event.key === 'Enter' && !event.shiftKey && !isByTouch()) {
      event.preventDefault();
      finish();
    }
  };
  return (
    <MessageFrame author={author} at={createdAt} className="bg-accent-wash">
      <textarea
        ref={area}
        dir="auto"
        aria-label="Edit the message"
        value={text}
        rows={Math.min(text.split('\n').length, 12)}
        onChange={({ target }) => write(target.value)}
        onKeyDown={press}
        className="mt-1 w-full resize-none rounded-md border border-accent bg-raised px-2 py-1.5 outline-none"
      />
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <Button look="primary" disabled={!isSomething || save.isPending} onClick={finish}>
          Save
        </Button>
        <Button look="quiet" onClick={onEnd}>
          Cancel
        </Button>
        {save.error ? (
          <span role="alert" className="text-[13px] text-danger">
            {save.error.message}
          </span>
        ) : null}
      </div>
    </MessageFrame>
  );
}
