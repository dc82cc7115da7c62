import type { Approval } from '@stoa/protocol';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { client } from '../data/client.js';
import { queryClient } from '../data/queries.js';
import { refreshSoon } from '../data/refresh-soon.js';
import { useApprovals, workKeys } from '../data/work.js';

/** How long one that was answered elsewhere is still shown, so that it does not vanish under who reads it. */
const FAREWELL_MS = 3_000;

export interface Inbox {
  /** What waits, and for a moment what was settled elsewhere; undefined until it is known. */
  readonly approvals: readonly Approval[] | undefined;
  /** Answers one; when somebody else was first, that is shown and nothing is thrown. */
  readonly answer: (
    approvalId: string,
    how: () => Promise<Approval>,
  ) => Promise<'taken' | 'too_late'>;
}

export function useInbox(): Inbox {
  const { data: pending } = useApprovals();
  const [settled, setSettled] = useState<readonly Approval[]>([]);
  const before = useRef<readonly Approval[]>([]);
  const own = useRef(new Set<string>());

  const sayFarewell = async (approval: Approval): Promise<void> => {
    const { approvalId } = approval;
    const without = (list: readonly Approval[]): readonly Approval[] =>
      list.filter((each) => each.approvalId !== approvalId);
    const show = (now: Approval): void => setSettled((list) => [...without(list), now]);
    setTimeout(() => setSettled(without), FAREWELL_MS);
    try {
      show(await client.approvals.get(approvalId));
    } catch {
      show({ ...approval, state: 'withdrawn' });
    }
  };

  const left = useEffectEvent((gone: readonly Approval[]) => {
    for (const approval of gone) void sayFarewell(approval);
  });
  useEffect(() => {
    if (!pending) return;
    const isPending = new Set(pending.map(({ approvalId }) => approvalId));
    left(
      before.current.filter(
        ({ approvalId }) => !isPending.has(approvalId) && !own.current.has(approvalId),
      ),
    );
    before.current = pending;
  }, [pending]);

  return {
    approvals: pending && inOrder(pending, settled),
    async answer(approvalId, how) {
      // Before it is sent: the closing event may arrive before the answer.
      own.current.add(approvalId);
      try {
        await how();
        queryClient.setQueryData<readonly Approval[]>(workKeys.approvals, (list) =>
          list?.filter((each) => each.approvalId !== approvalId),
        );
        return 'taken';
      } catch (error) {
        own.current.delete(approvalId);
        const approval = await client.approvals.get(approvalId);
        if (approval.state === 'pending') throw error;
        void sayFarewell(approval);
        return 'too_late';
      } finally {
        refreshSoon(workKeys.approvals);
      }
    },
  };
}

function inOrder(pending: readonly Approval[], settled: readonly Approval[]): Approval[] {
  const isSettled = new Set(settled.map(({ approvalId }) => approvalId));
  return [...pending.filter(({ approvalId }) => !isSettled.has(approvalId)), ...settled].sort(
    (one, other) => one.createdAt - other.createdAt,
  );
}
