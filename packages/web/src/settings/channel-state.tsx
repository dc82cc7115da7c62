import type { Channel } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { goAnyway } from '../app/router.js';
import { client } from '../data/client.js';
import { keys, queryClient } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { toast } from '../ui/toast.js';
import { tookOver, useChangeChannel } from './change-channel.js';
import { TextField } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { problemsOf } from './problems.js';
import { Row, Rows, Section } from './section.js';

/** Whether agents speak here, whether anybody does, and whether it is there at all. */
export function ChannelState({ channel }: { readonly channel: Channel }) {
  const { channelId, paused, archivedAt } = channel;
  const [isDeleting, setDeleting] = useState(false);
  const isArchived = archivedAt !== undefined;
  const pause = useChangeChannel(channelId, paused ? 'Agents speak again.' : 'Agents are paused.');
  const archive = useMutation({
    mutationFn: () =>
      isArchived ? client.channels.unarchive(channelId) : client.channels.archive(channelId),
    onSuccess: tookOver,
    onError: toast.problem,
  });
  return (
    <Section title="State">
      <Rows label="State of the channel">
        <Row
          title={paused ? 'Agents are paused' : 'Agents may speak'}
          about={
            paused
              ? 'Agents answer new messages after you resume them.'
              : 'While paused, no agent gets a new turn. Agents that are speaking may finish.'
          }
        >
          <Button
            disabled={isArchived || pause.isPending}
            onClick={() => pause.mutate({ paused: !paused }, { onError: toast.problem })}
          >
            {paused ? 'Resume' : 'Pause'}
          </Button>
        </Row>
        <Row
          title={isArchived ? 'The channel is archived' : 'Archive'}
          about={
            isArchived
              ? 'People can read it, but nobody can post.'
              : 'Makes the channel read-only and removes it from the list. You can unarchive it later.'
          }
        >
          <Button disabled={archive.isPending} onClick={() => archive.mutate()}>
            {isArchived ? 'Unarchive' : 'Archive'}
          </Button>
        </Row>
        <Row title="Delete" about="Erases all messages of the channel. This cannot be undone.">
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        </Row>
      </Rows>
      {isDeleting ? <DeleteDialog channel={channel} onClose={() => setDeleting(false)} /> : null}
    </Section>
  );
}

interface DeleteDialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

function DeleteDialog({ channel: { channelId, title }, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => client.channels.delete(channelId),
    onSuccess: async () => {
      onClose();
      goAnyway('/');
      queryClient.removeQueries({ queryKey: keys.channel(channelId) });
      await queryClient.invalidateQueries({ queryKey: keys.channels });
      toast.tell(`${title} was deleted.`);
    },
  });
  const isSame = typed.trim() === channelId;
  return (
    <FormDialog
      title={`Delete ${title}?`}
      deed="Delete permanently"
      look="danger"
      isDisabled={!isSame || remove.isPending}
      problems={problemsOf(remove.error, [])}
      beside={<Button onClick={onClose}>Keep it</Button>}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p className="text-[13px]">
        Its messages, decisions and members are erased, including from the log.
      </p>
      <TextField
        label={`Type ${channelId} to delete it`}
        isCode
        value={typed}
        onChange={setTyped}
        problem={
          typed !== '' && !channelId.startsWith(typed.trim())
            ? `The id is ${channelId}.`
            : undefined
        }
      />
    </FormDialog>
  );
}
