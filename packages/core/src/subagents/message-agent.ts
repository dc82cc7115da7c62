import { LIMITS, StoaError, SYSTEM, sessionTopic, type TaskEntry } from '@stoa/protocol';
import { findHuman, findTaskEntry, type Tx } from '@stoa/store';
import { type Arrival, acceptItem } from '../inbox/accept-item.js';
import { decode } from '../kernel/codec.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { currentCeiling } from '../sessions/ceiling-of.js';
import { type OpenSession, sessionToRead, sessionToServe } from '../sessions/session-gate.js';
import { beginning } from '../tasks/change-task.js';
import type { TaskContext } from '../tasks/context.js';
import type { TaskMessage } from '../tasks/kind.js';
import { takesNoMessage } from '../tasks/requests.js';
import { taskChanged } from '../tasks/write-task.js';

/**
 * Sends a message to an agent and continues it if it was paused or had completed, in one commit, so that it does not start
 * without its message and of two concurrent messages only one starts it. A running agent takes the message at its next tool
 * boundary.
 */
export function messageAgent(
  context: TaskContext,
  task: TaskEntry,
  worksIn: string,
  { text, from }: TaskMessage,
): Promise<void> {
  const { taskId } = task;
  return context.log.write({
    actor: from,
    lane: sessionTopic(worksIn),
    *open() {
      return {
        session: yield* sessionToServe(worksIn),
        owner: yield* sessionToServe(task.sessionId),
      };
    },
    *decide({ session, owner }, at): Tx<Decision<void>> {
      const row = yield* findTaskEntry.first({ topicId: owner.topicId, taskId });
      if (!row) throw new StoaError('task_not_found', `There is no background task ${taskId}`);
      const { blockedReason, ...entry } = decode(row.entry);
      if (entry.stopping) {
        throw takesNoMessage(entry, 'it is being stopped');
      }
      const events: NewEvent[] = [];
      if (blockedReason !== undefined) {
        events.push(taskChanged(owner, taskId, { blockedReason: null }));
      }
      events.push(...(yield* beginning(context, { session: owner, entry }, at)).events);
      const rule = session.activeRunId === null ? 'collect' : 'inject';
      const arrival = yield* arrivalOf(from, text, rule);
      events.push(...(yield* acceptItem(context, session, arrival)).events);
      return { events, answer: () => undefined };
    },
  });
}

export function sendPrompt(
  context: TaskContext,
  worksIn: string,
  from: string,
  text: string,
): Promise<void> {
  return context.log.write({
    actor: from,
    lane: sessionTopic(worksIn),
    open: () => sessionToServe(worksIn),
    *decide(session: OpenSession): Tx<Decision<void>> {
      const arrival = yield* arrivalOf(from, text, 'followup');
      const { events } = yield* acceptItem(context, session, arrival);
      return { events, answer: () => undefined };
    },
  });
}

/**
 * Only people and the sessions above may direct an agent, and it has at most their rights. So their messages are
 * instructions, without an envelope.
 */
function* arrivalOf(from: string, text: string, rule: Arrival['rule']): Tx<Arrival> {
  const inputItems = [{ type: 'text' as const, text: text.slice(0, LIMITS.textChars) }];
  const arrival = { kind: 'input', rule, inputItems, metadata: {} } as const;
  if (from.startsWith('session:')) {
    const fromSessionId = from.slice('session:'.length);
    const sender = yield* sessionToRead(SYSTEM, fromSessionId);
    return {
      ...arrival,
      from: 'system',
      fromName: sender.agentName,
      origin: { fromSessionId },
      ceiling: yield* currentCeiling(sender),
    };
  }
  const humanId = from.slice(from.indexOf(':') + 1);
  const human = yield* findHuman.first({ humanId });
  return { ...arrival, from, fromName: human?.displayName ?? from, origin: {} };
}
