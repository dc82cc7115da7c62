import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ChannelMessages } from '../data/channel-messages.js';
import { client } from '../data/client.js';
import { conversationKey } from '../data/pending.js';
import { keys, queryClient, useChannel, useMembers } from '../data/queries.js';
import { editing } from '../message/editing.js';
import { Button } from '../ui/button.js';
import { toast } from '../ui/toast.js';
import { TalkComposer } from './talk-composer.js';

interface ChannelComposerProps {
  readonly channelId: string;
  readonly me: string;
  readonly messages: ChannelMessages;
  /** The thread that is written in, if it is one. */
  readonly rootId?: string;
}

/** Where one writes in a channel; who is no member joins first, and in an archived one nobody writes. */
export function ChannelComposer({ channelId, me, messages, rootId }: ChannelComposerProps) {
  const { data: channel } = useChannel(channelId);
  const { data: members } = useMembers(channelId);
  if (channel?.archivedAt !== undefined) {
    return <Closed>This channel is archived: you can read it, but nobody can post.</Closed>;
  }
  if (members && !members.some(({ actorId }) => actorId === me)) {
    return <Join channelId={channelId} />;
  }
  const editLast = (): boolean => {
    const last = messages.view.messages.findLast(
      ({ author, deletedAt }) => author.id === me && deletedAt === undefined,
    );
    if (last) editing.begin(last.messageId, rootId === undefined ? 'feed' : 'thread');
    return last !== undefined;
  };
  return (
    <TalkComposer
      draftKey={conversationKey(channelId, rootId)}
      placeholder={rootId === undefined ? `Write to ${channel?.title ?? channelId}` : 'Reply…'}
      label={rootId === undefined ? 'Message' : 'Reply'}
      members={members?.filter(({ actorId }) => actorId !== me) ?? []}
      onEditLast={editLast}
      onPost={(post) => messages.post(post)}
    />
  );
}

function Join({ channelId }: { readonly channelId: string }) {
  const join = useMutation({
    mutationFn: () => client.members.upsert(channelId),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: keys.members(channelId) });
      void queryClient.invalidateQueries({ queryKey: keys.unread });
    },
    onError: toast.problem,
  });
  return (
    <Closed>
      You can read this channel, but you are not a member.
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
