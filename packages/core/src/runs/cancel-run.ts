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
import { lockChannelOfRun } from '../sessions/lock-channels.js';
import { runRecord } from '../sessions/records.js';
import { sessionToChange } from '../sessions/session-gate.js';
import { endRun } from './end-run.js';

/**
 * Cancels a run in any state. The first commit ends the run; a later caller gets its outcome. The driver is stopped after
 * the commit and can write nothing more to the log.
 *
 *   queued               its items are dropped, nothing ran
 *   running              the model and running tools are stopped; the journal stays as it is
 *   waiting_approval     its question is withdrawn
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
      yield* lockChannelOfRun(runId);
      return yield* sessionToChange(principal, known.sessionId);
    },
    *decide(session): Tx<Decision<boolean>> {
      const run = yield* findRunRow.first({ runId });
      if (!run || isTerminalRunStatus(run.status)) {
        context.diagnose('a cancellation found that the run has ended', {
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
