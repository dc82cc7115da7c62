import type { Stamped } from '@stoa/protocol';
import { isTerminalRunStatus } from '@stoa/protocol/constants';

type Accepted = Extract<Stamped, { type: 'accepted' }>;

export interface OrderOfRuns {
  readonly events: readonly Stamped[];
  /** Items accepted during a run that wait for their own run. */
  readonly waiting: readonly Accepted[];
}

/**
 * The events of a journal in reading order: an item accepted during another run is moved to the start of its own run,
 * so that each answer follows its question.
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

/** Live only: a queued run has not begun. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['queued', 'requeued']);

function runOf({ data }: Stamped): string | undefined {
  return 'runId' in data && typeof data.runId === 'string' ? data.runId : undefined;
}
