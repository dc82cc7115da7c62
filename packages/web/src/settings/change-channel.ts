import type { Channel, UpdateChannel } from '@stoa/protocol';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { keys, queryClient } from '../data/queries.js';
import { toast } from '../ui/toast.js';

/** Replaces the cached channel with the answer of the daemon. */
export function tookOver(channel: Channel): void {
  queryClient.setQueryData(keys.channel(channel.channelId), channel);
  void queryClient.invalidateQueries({ queryKey: keys.channels });
}

export function useChangeChannel(
  channelId: string,
  done = 'Saved.',
): UseMutationResult<Channel, Error, UpdateChannel> {
  return useMutation({
    mutationFn: (change: UpdateChannel) => client.channels.update(channelId, change),
    onSuccess: (channel) => {
      tookOver(channel);
      toast.tell(done);
    },
  });
}
