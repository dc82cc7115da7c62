import {
  actorIdOf,
  type CancelAnswer,
  type CancelReason,
  isTerminalRunStatus,
  type Principal,
  StoaError,
  sessionTopic,
} from '@stoa/protocol';
import { findRun, findRunRow, listItemsOfRun, type Tx } from '@stoa/store';
import type { Decision } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { lockPlaceOfRun } from '../sessions/lock-reached.js';
import { runRecord } from '../sessions/records.js';
import { sessionToChange } from '../sessions/session-gate.js';
import { endRun } from './end-run.js';

/**
 * Cancels a run whatever it is at. The commit decides: who comes first ends it, who comes later is
 * told how it ended. What the driver still does is stopped after that, and cannot reach the log.
 *
 *   queued               its items are dropped, nothing ran
 *   running              the model is cut off, a tool is stopped; what was journaled stays
 *   waiting_approval     what it asked is withdrawn
 *   ended                nothing: publishing is part of the commit that ends a run
 */
export async function cancelRun(
  context: SessionContext,
  principal: Principal,
  runId: string,
  reason: CancelReason,
): Promise<CancelAnswer> {
  const known = await context.store.read(() => findRunRow.first({ runId }));
  if (!known) throw new StoaError('run_not_found', `There is no run ${runId}`);
  const cancelled = await context.log.write({
    actor: actorIdOf(principal),
    lane: sessionTopic(known.sessionId),
    *open() {
      yield* lockPlaceOfRun(runId);
      return yield* sessionToChange(principal, known.sessionId);
    },
    *decide(session): Tx<Decision<boolean>> {
      const run = yield* findRunRow.first({ runId });
      if (!run || isTerminalRunStatus(run.status)) {
        context.diagnose('a run that has ended was to be cancelled', {
          runId,
          status: run?.status,
        });
        return { events: [], answer: () => false };
      }
      const events = yield* endRun(context, session, runId, { type: 'cancelled', reason });
      return { events, answer: () => true };
    },
  });
  return { cancelled, run: await readRun(context, runId) };
}

export function readRun(context: SessionContext, runId: string) {
  return context.store.read(function* () {
    const row = yield* findRun.first({ runId });
    if (!row) throw new StoaError('run_not_found', `There is no run ${runId}`);
    const items = yield* listItemsOfRun.all({ runId });
    return runRecord(
      row,
      items.map(({ itemId }) => itemId),
    );
  });
}
