import type { Stamped } from '@stoa/protocol';
import { isTerminalRunStatus } from '@stoa/protocol/constants';

type Accepted = Extract<Stamped, { type: 'accepted' }>;

export interface OrderOfRuns {
  readonly events: readonly Stamped[];
  /** What was said while a run goes on, and waits for one of its own. */
  readonly waiting: readonly Accepted[];
}

/**
 * The events of a journal as they are read: what was said while another run went on stands where its own run
 * begins, so that each answer follows what it answers.
 */
export function inOrderOfRuns(journal: readonly Stamped[]): OrderOfRuns {
  const events: Stamped[] = [];
  const waiting = new Map<string, Accepted[]>();
  const ended = new Set<string>();
  let underWay: string | undefined;
  for (const event of journal) {
    const runId = BOOKKEEPING.has(event.type) ? undefined : runOf(event);
    const isBusy = underWay !== undefined || waiting.size > 0;
    if (event.type === 'accepted' && isBusy && runId !== underWay) {
      waiting.set(event.data.runId, [...(waiting.get(event.data.runId) ?? []), event]);
      continue;
    }
    if (runId !== undefined) {
      events.push(...(waiting.get(runId) ?? []));
      waiting.delete(runId);
      if (isTerminalRunStatus(event.type)) {
        ended.add(runId);
        if (runId === underWay) underWay = undefined;
      } else if (!ended.has(runId)) underWay = runId;
    }
    events.push(event);
  }
  const left = [...waiting.values()].flat();
  return underWay === undefined
    ? { events: [...events, ...left], waiting: [] }
    : { events, waiting: left };
}

/** With what comes live: a run that is queued has not begun. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['queued', 'requeued']);

function runOf({ data }: Stamped): string | undefined {
  return 'runId' in data && typeof data.runId === 'string' ? data.runId : undefined;
}
