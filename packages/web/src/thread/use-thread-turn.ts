import { outcomeLines, waitingWords } from '@stoa/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { useTopic } from '../data/live.js';
import { queryClient, useChannel, useMembers } from '../data/queries.js';
import { timeOf } from '../feed/days.js';

/** What may change who has the turn, or who is next. */
const TURNS = new Set(['turn_decided', 'message_posted', 'draft_ended']);
/** No event reports that a run has started or waits. */
const POLL_MS = 3_000;

/** As many decisions as a turn usually takes. */
const LAST_DECISIONS = 20;

export interface ThreadTurn {
  /** Who has the turn in the thread, who is next, and why not now. */
  readonly waiting: readonly string[];
  /** How those ended who had it and of whom nothing is seen in the thread. */
  readonly ended: readonly string[];
}

export function useThreadTurn(channelId: string, rootId: string): ThreadTurn {
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
        client.turns.decisions(channelId, rootId, { limit: LAST_DECISIONS }),
      ]);
      return {
        leases: leases.filter(({ threadRootMessageId }) => threadRootMessageId === rootId),
        decisions,
      };
    },
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.leases.length > 0 ? POLL_MS : false,
  });
  const { leases = [], decisions = [] } = data ?? {};
  const [decision] = decisions;
  if (!decision) return { waiting: [], ended: [] };
  const names = new Map(members?.map(({ memberId, displayName }) => [memberId, displayName]));
  const isPaused = channel?.paused ?? false;
  return {
    waiting: waitingWords({ decision, leases, isPaused }, { names, timeOf }),
    ended: outcomeLines(decisions, names),
  };
}
