import {
  LIMITS,
  type Metadata,
  type Origin,
  StoaError,
  sessionTopic,
  type TaskEntry,
} from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { Decision } from '../kernel/log.js';
import { currentCeiling } from '../sessions/ceiling-of.js';
import { lockChannelOf } from '../sessions/lock-channels.js';
import { inSession } from '../sessions/run-facts.js';
import { assertNotEnded, type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import type { TaskKind } from './kind.js';
import { assertRoom, hasFreeSlot, tooMany } from './slots.js';
import { bindTask } from './task-thread.js';

export interface NewTask {
  /** A command that ran in the foreground keeps its id. */
  readonly taskId?: string | undefined;
  readonly kind: string;
  readonly description: string;
  readonly detail: Metadata;
  readonly isForeground?: boolean | undefined;
  readonly startedAt?: number | undefined;
  readonly runId?: string | undefined;
  readonly callId?: string | undefined;
  readonly origin?: Origin | undefined;
  readonly outputPath?: string | undefined;
  /** The actor that starts it, if not the session. */
  readonly by?: string | undefined;
}

/**
 * Stores a task before it starts. If a slot is free it is `running` and the caller starts it; if it is `queued`, its
 * executor starts it later.
 */
export function createTask(
  context: TaskContext,
  sessionId: string,
  wanted: NewTask,
): Promise<TaskEntry> {
  const kind = context.kinds.get(wanted.kind);
  const { ids, log, storeWait } = context;
  const detail = admitDetail(kind, wanted.detail);
  const taskId = wanted.taskId ?? ids.next('tsk');
  return log.write({
    actor: wanted.by ?? `session:${sessionId}`,
    lane: sessionTopic(sessionId),
    *open() {
      if (wanted.isForeground !== true) yield* lockChannelOf(wanted.origin ?? {});
      return yield* sessionToServe(sessionId);
    },
    wait: { store: storeWait },
    *decide(session, at): Tx<Decision<TaskEntry>> {
      assertNotEnded(session);
      yield* assertRoom(kind, session);
      const isForeground = wanted.isForeground ?? false;
      if (isForeground) assertWaitedFor(session, wanted.runId);
      // A foreground task needs no slot: its caller may hold the last one.
      const status = isForeground ? 'running' : yield* statusFor(kind, session);
      const { startedAt = at, runId, callId, origin = {}, outputPath } = wanted;
      const ceiling = wanted.by === undefined ? yield* currentCeiling(session) : undefined;
      const task: TaskEntry = {
        taskId,
        kind: kind.kind,
        description: shortened(wanted.description),
        sessionId,
        startedIn: sessionId,
        responsibleId: session.responsibleId,
        ...(runId === undefined ? {} : { runId }),
        ...(callId === undefined ? {} : { callId }),
        origin,
        ...(ceiling && { ceiling }),
        status,
        isForeground,
        createdAt: at,
        ...(status === 'running' ? { startedAt } : {}),
        updatedAt: at,
        notice: isForeground ? 'none' : 'due',
        location: context.location,
        ...(outputPath === undefined ? {} : { outputPath }),
        transcriptPath: `${context.directory}/${sessionId}/${kind.kind}-${taskId}.jsonl`,
        detail,
      };
      return {
        events: [
          inSession(session, { type: 'background_task_created', data: { task } }),
          ...(yield* bindTask(context, task, at)),
        ],
        answer: () => task,
      };
    },
  });
}

function* statusFor(kind: TaskKind, { responsibleId }: OpenSession): Tx<'running' | 'queued'> {
  if (yield* hasFreeSlot(kind, responsibleId)) return 'running';
  if (kind.whenFull === 'queue') return 'queued';
  throw tooMany(kind, kind.atOnce ?? 0, responsibleId);
}

/** If the run has ended in the meantime, it would not stop the task. */
function assertWaitedFor({ activeRunId }: OpenSession, runId: string | undefined): void {
  if (runId === undefined || runId === activeRunId) return;
  throw new StoaError('run_ended', `${runId} has ended and cannot wait for a task`);
}

/** Checks the detail of a task by the rules of its kind, and its size. */
export function admitDetail(kind: TaskKind, detail: Metadata): Metadata {
  const problem = kind.detailProblem(detail);
  if (problem !== undefined) throw new StoaError('invalid_request', `A ${kind.kind}: ${problem}`);
  if (JSON.stringify(detail).length <= LIMITS.taskDetailBytes) return detail;
  const limit = String(LIMITS.taskDetailBytes);
  throw new StoaError('invalid_request', `The detail of a task has at most ${limit} characters`);
}

/** The first characters, in one line. The detail contains the rest. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= LIMITS.titleChars) return line;
  return `${line.slice(0, LIMITS.titleChars - 1).toWellFormed()}…`;
}
