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
import { lockPlace } from '../sessions/lock-reached.js';
import { inSession } from '../sessions/run-facts.js';
import { assertNotEnded, type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import type { TaskKind } from './kind.js';
import { assertRoom, hasPlace, tooMany } from './places.js';
import { taskBound } from './thread-news.js';

/** A task that somebody wants to begin. */
export interface NewTask {
  /** Its id, when it has one already: a command that was waited for keeps its own. */
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
  /** Who begins it, if not the session. */
  readonly by?: string | undefined;
}

/**
 * Commits the intent; nothing has been started yet. It is `running` when its kind has a place for it, and
 * for the caller to start then; `queued` it is started by its executor when its turn comes.
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
      if (wanted.isForeground !== true) yield* lockPlace(wanted.origin ?? {});
      return yield* sessionToServe(sessionId);
    },
    wait: { store: storeWait },
    *decide(session, at): Tx<Decision<TaskEntry>> {
      assertNotEnded(session);
      yield* assertRoom(kind, session);
      const isForeground = wanted.isForeground ?? false;
      if (isForeground) assertWaitedFor(session, wanted.runId);
      // What a tool call waits for cannot wait for a place that may be its own caller's.
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
          ...(yield* taskBound(context, task, at)),
        ],
        answer: () => task,
      };
    },
  });
}

function* statusFor(kind: TaskKind, { responsibleId }: OpenSession): Tx<'running' | 'queued'> {
  if (yield* hasPlace(kind, responsibleId)) return 'running';
  if (kind.whenFull === 'queue') return 'queued';
  throw tooMany(kind, kind.atOnce ?? 0, responsibleId);
}

/** A run that was cancelled a moment ago waits for nothing, and nobody would stop what is begun for it. */
function assertWaitedFor({ activeRunId }: OpenSession, runId: string | undefined): void {
  if (runId === undefined || runId === activeRunId) return;
  throw new StoaError('run_ended', `${runId} has ended and waits for nothing any more`);
}

/** What a kind says of a task is checked by the kind, and is never large. */
export function admitDetail(kind: TaskKind, detail: Metadata): Metadata {
  const problem = kind.detailProblem(detail);
  if (problem !== undefined) throw new StoaError('invalid_request', `A ${kind.kind}: ${problem}`);
  if (JSON.stringify(detail).length <= LIMITS.taskDetailBytes) return detail;
  const limit = String(LIMITS.taskDetailBytes);
  throw new StoaError('invalid_request', `The detail of a task has at most ${limit} characters`);
}

/** One line; what it leaves out stands in the detail. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= LIMITS.titleChars) return line;
  return `${line.slice(0, LIMITS.titleChars - 1).toWellFormed()}…`;
}
