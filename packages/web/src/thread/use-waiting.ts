import { waitingWords } from '@stoa/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { useTopic } from '../data/live.js';
import { queryClient, useChannel, useMembers } from '../data/queries.js';
import { timeOf } from '../feed/days.js';

/** What may change who has the turn, or who is next. */
const TURNS = new Set(['turn_decided', 'message_posted', 'draft_ended']);
/** That a run has begun, or waits, is told nowhere. */
const LOOK_AGAIN_MS = 3_000;

/** Who has the turn in a thread, who is next, and why not now. */
export function useWaiting(channelId: string, rootId: string): readonly string[] {
  const { data: channel } = useChannel(channelId);
  const { data: members } = useMembers(channelId);
  const queryKey = ['waiting', channelId, rootId];
  useTopic(`channel:${channelId}`, (signal) => {
    if (signal.type === 'ended') return;
    if (signal.type !== 'item' || TURNS.has(signal.item.type)) {
      void queryClient.invalidateQueries({ queryKey });
    }
  });
  const { data } = useQuery({
    queryKey,
    queryFn: async () => {
      const [leases, { decisions }] = await Promise.all([
        client.turns.leases(channelId),
        client.turns.decisions(channelId, rootId, { limit: 1 }),
      ]);
      return {
        leases: leases.filter(({ threadRootMessageId }) => threadRootMessageId === rootId),
        decision: decisions[0],
      };
    },
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.leases.length > 0 ? LOOK_AGAIN_MS : false,
  });
  if (!data?.decision) return [];
  return waitingWords(
    { decision: data.decision, leases: data.leases, isPaused: channel?.paused ?? false },
    {
      names: new Map(members?.map(({ memberId, displayName }) => [memberId, displayName])),
      timeOf,
    },
  );
}
