import type { StoredItem, TaskEnd } from '@stoa/protocol';
import { LIMITS, textWithAssets } from '@stoa/protocol';
import { listRunsOfSession, sumUsage, type Tx } from '@stoa/store';
import type { NewEvent } from '../kernel/log.js';
import type { RunEnd } from '../runs/run-end.js';
import { runRecord, usageOf } from '../sessions/records.js';
import type { OpenSession } from '../sessions/session-gate.js';
import type { TaskContext } from '../tasks/context.js';
import { type Settlement, settling } from '../tasks/settle-task.js';
import { agentsOf, openRuns, taskOfSession } from './agent-task.js';

/**
 * An agent is done when its session has no open run and no agent that it started itself is running, whose notice it would get.
 * It ends as its last run ended.
 *
 * A run that ends normally settles the task in its own commit. If a session is idle because of a cancellation, a clear or its
 * end, `settleIfDone` settles the task.
 */
export function* agentRunEnded(
  context: TaskContext,
  session: OpenSession,
  runId: string,
  end: RunEnd,
  closing: readonly NewEvent[],
): Tx<NewEvent[]> {
  if (session.parentSessionId === null || end.type === 'cancelled') return [];
  if (closing.some(({ event }) => event.type === 'queued')) return [];
  const open = yield* openRuns(session);
  if (open.some((other) => other !== runId) || (yield* waitsForAgents(session))) return [];
  const task = yield* taskOfSession(session, { lock: true });
  if (!task) return [];
  const settlement = yield* settlementOf(session, runId, end);
  const at = context.clock.now();
  return (yield* settling(context, task, settlement, at)).events;
}

/** How an agent ended whose session is idle; undefined if it goes on, or never had a run. */
export function* idleSettlement(session: OpenSession): Tx<Settlement | undefined> {
  if (session.endedAt !== null) {
    const message = 'Its session has ended';
    return { status: 'cancelled', end: { cause: 'session_ended', message } };
  }
  if ((yield* openRuns(session)).length > 0 || (yield* waitsForAgents(session))) return undefined;
  const { topicId } = session;
  const rows = yield* listRunsOfSession.all({
    topicId,
    before: Number.MAX_SAFE_INTEGER,
    limit: RUNS_READ,
  });
  const runs = rows.map((row) => runRecord(row, []));
  // A run that was dropped before it started does not count.
  const last = runs.find(({ cancelReason }) => cancelReason !== 'dropped') ?? runs[0];
  if (!last) return undefined;
  const { runId, status, output = [], failure, cancelReason } = last;
  if (status === 'completed') {
    return yield* settlementOf(session, runId, { type: 'completed', output });
  }
  if (status === 'failed' && failure) {
    return yield* settlementOf(session, runId, { type: 'failed', failure });
  }
  if (status === 'interrupted') {
    return yield* settlementOf(session, runId, { type: 'interrupted', reason: 'interrupted' });
  }
  const reason = cancelReason ?? 'cancel_command';
  return yield* settlementOf(session, runId, { type: 'cancelled', reason });
}

const RUNS_READ = 20;

/** Running agents send a notice when they end. Queued ones do not count: they could wait for the slot of this agent. */
function* waitsForAgents(session: OpenSession): Tx<boolean> {
  return (yield* agentsOf(session)).some(
    ({ status, isForeground }) => status === 'running' && !isForeground,
  );
}

function* settlementOf({ sessionId }: OpenSession, runId: string, end: RunEnd): Tx<Settlement> {
  const filter = { sessionId, runId: null, responsibleId: null };
  const always = { since: 0, until: Number.MAX_SAFE_INTEGER };
  const [row] = yield* sumUsage.session.all({ ...filter, ...always });
  const { modelCalls = 0, inputTokens = 0, outputTokens = 0 } = row ? usageOf(row) : {};
  const result = end.type === 'completed' ? outputText(end.output) : '';
  const detail = {
    lastRunId: runId,
    modelCalls,
    inputTokens,
    outputTokens,
    ...(result === '' ? {} : { result: shortened(result) }),
  };
  return { ...endOf(end), detail };
}

function endOf(end: RunEnd): Pick<Settlement, 'status'> & { end: TaskEnd } {
  switch (end.type) {
    case 'completed':
      return { status: 'completed', end: { cause: 'finished' } };
    case 'failed': {
      const { code, message } = end.failure;
      const text = `${message} (${code})`.slice(0, LIMITS.descriptionChars).toWellFormed();
      return { status: 'failed', end: { cause: 'run_failed', message: text } };
    }
    case 'interrupted':
      return { status: 'failed', end: { cause: 'interrupted', message: end.reason } };
    case 'cancelled':
      return {
        status: 'cancelled',
        end: { cause: end.reason === 'clear' ? 'cleared' : 'stopped' },
      };
  }
}

/** The output of a run as text. */
export const outputText = (output: readonly StoredItem[]): string =>
  textWithAssets(output, (assetId) => `[attachment ${assetId}]`, '\n\n').trim();

/** The beginning and the end. The transcript contains the rest. */
function shortened(text: string): string {
  const limit = LIMITS.taskTailChars;
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const cut = `[… ${String(text.length - limit)} characters, see the transcript …]`;
  const head = text.slice(0, half).toWellFormed();
  return `${head}\n${cut}\n${text.slice(-half).toWellFormed()}`;
}
