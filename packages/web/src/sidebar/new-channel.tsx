import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { writeIn } from '../composer/write-in.js';
import { client } from '../data/client.js';
import { keys, queryClient } from '../data/queries.js';
import { askedDialog } from '../palette/asked-dialog.js';
import { Button, IconButton } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field, INPUT } from '../ui/field.js';
import { Icon } from '../ui/icon.js';

export function NewChannel() {
  return (
    <IconButton label="New channel" onClick={() => askedDialog.open('new-channel')}>
      <Icon name="plus" />
    </IconButton>
  );
}

export function NewChannelDialog({ onClose }: { readonly onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [purpose, setPurpose] = useState('');
  const create = useMutation({
    mutationFn: () =>
      client.channels.create({
        title: title.trim(),
        ...(purpose.trim() === '' ? {} : { purpose: purpose.trim() }),
      }),
    onSuccess: async ({ channelId }) => {
      await queryClient.invalidateQueries({ queryKey: keys.channels });
      void queryClient.invalidateQueries({ queryKey: keys.unread });
      // First of all: it gives the focus back to where it came from, and while it is open nothing else can have it.
      flushSync(onClose);
      writeIn(channelId);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (title.trim() !== '') create.mutate();
  };
  return (
    <Dialog
      title="New channel"
      onClose={onClose}
      footer={
        <Button
          look="primary"
          type="submit"
          form="new-channel"
          disabled={title.trim() === '' || create.isPending}
        >
          Create
        </Button>
      }
    >
      <form id="new-channel" onSubmit={submit} className="space-y-3">
        <Field label="Title" problem={create.error?.message}>
          {(attributes) => (
            <input
              {...attributes}
              className={INPUT}
              value={title}
              onChange={({ target }) => setTitle(target.value)}
            />
          )}
        </Field>
        <Field label="Purpose" hint="Optional. Agents receive it with every turn.">
          {(attributes) => (
            <input
              {...attributes}
              className={INPUT}
              value={purpose}
              onChange={({ target }) => setPurpose(target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
