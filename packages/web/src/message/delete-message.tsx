import type { Message } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { markdownOf } from './markdown-of.js';
import { plainText } from './plain-text.js';

interface DeleteMessageProps {
  readonly message: Message;
  readonly onClose: () => void;
}

export function DeleteMessage({ message, onClose }: DeleteMessageProps) {
  const remove = useMutation({
    mutationFn: () => client.messages.delete(message.channelId, message.messageId),
    onSuccess: onClose,
  });
  return (
    <Dialog
      title="Delete this message?"
      onClose={onClose}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Keep it
          </Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </>
      }
    >
      <blockquote dir="auto" className="mb-2 line-clamp-4 border-s-3 border-line ps-3 text-soft">
        {plainText(markdownOf(message)) || 'An attachment'}
      </blockquote>
      <p className="text-[13px] text-soft">
        Everybody sees that a message was here, but not its text.
      </p>
      {remove.error ? (
        <p role="alert" className="mt-2 text-[13px] text-danger">
          {remove.error.message}
        </p>
      ) : null}
    </Dialog>
  );
}
