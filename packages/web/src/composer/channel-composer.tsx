import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ChannelMessages } from '../data/channel-messages.js';
import { client } from '../data/client.js';
import { keys, queryClient, useChannel, useMembers } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { toast } from '../ui/toast.js';
import { Composer } from './composer.js';

interface ChannelComposerProps {
  readonly channelId: string;
  readonly me: string;
  readonly messages: ChannelMessages;
}

/** Where one writes in a channel; who is no member joins first, and in an archived one nobody writes. */
export function ChannelComposer({ channelId, me, messages }: ChannelComposerProps) {
  const { data: channel } = useChannel(channelId);
  const { data: members } = useMembers(channelId);
  if (channel?.archivedAt !== undefined) {
    return <Closed>This channel is archived: it can be read, and nobody writes here.</Closed>;
  }
  if (members && !members.some(({ actorId }) => actorId === me)) {
    return <Join channelId={channelId} />;
  }
  return (
    <Composer
      draftKey={channelId}
      placeholder={`Write to ${channel?.title ?? channelId}`}
      onPost={(post) => void messages.post(post)}
    />
  );
}

function Join({ channelId }: { readonly channelId: string }) {
  const join = useMutation({
    mutationFn: () => client.members.join(channelId),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: keys.members(channelId) });
      void queryClient.invalidateQueries({ queryKey: keys.unread });
    },
    onError: toast.problem,
  });
  return (
    <Closed>
      You read along, but are no member.
      <Button onClick={() => join.mutate()} disabled={join.isPending}>
        Join
      </Button>
    </Closed>
  );
}

function Closed({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex shrink-0 items-center justify-center gap-3 border-t border-line bg-panel px-4 py-3 text-[13px] text-soft">
      {children}
    </div>
  );
}
