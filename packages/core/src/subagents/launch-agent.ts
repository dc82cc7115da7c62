import {
  type AgentDefinition,
  LIMITS,
  type Origin,
  type PermissionMode,
  StoaError,
  SYSTEM,
  type Task,
} from '@stoa/protocol';
import { type StartedProgram, startedPrograms } from '../agents/started-programs.js';
import { lowerMode } from '../authority/ceiling.js';
import { decode } from '../kernel/codec.js';
import { endSession } from '../sessions/change-session.js';
import { createSession } from '../sessions/create-session.js';
import { sessionToRead } from '../sessions/session-gate.js';
import type { TaskContext } from '../tasks/context.js';
import { createTask } from '../tasks/create-task.js';
import { withApprovals } from '../tasks/read-tasks.js';
import { settleTask } from '../tasks/settle-task.js';
import { taskRow } from '../tasks/write-task.js';
import { AGENT } from './agent-kind.js';
import { givePrompt } from './message-agent.js';

/** An agent that a session wants to have beside it. */
export interface NewSubAgent {
  readonly description: string;
  readonly prompt: string;
  /** The same agent as that of the session, if not said. */
  readonly agentId?: string | undefined;
  /** The caller waits for its result. */
  readonly isForeground: boolean;
  readonly onRestart?: 'pause' | 'resume' | undefined;
  /** The programs that were approved to start with it, as `programsOf` named them. */
  readonly programs: readonly string[];
  readonly runId?: string | undefined;
  readonly callId?: string | undefined;
  readonly origin?: Origin | undefined;
}

/** What an agent would start with it. */
export async function programsOf(
  context: TaskContext,
  sessionId: string,
  agentId: string | undefined,
): Promise<StartedProgram[]> {
  const parent = await context.store.read(() => sessionToRead(SYSTEM, sessionId));
  const { definition } = await context.findAgent(agentId ?? parent.agentId, parent.workspace);
  return startedPrograms(definition);
}

/** A definition may change after it was asked about; what would start then was not approved. */
function assertApproved(definition: AgentDefinition, approved: readonly string[]): void {
  const labels = startedPrograms(definition).map(({ label }) => label);
  if (labels.every((label) => approved.includes(label))) return;
  throw new StoaError(
    'agent_broken',
    'The definition of the agent changed since it was asked about; call it again',
  );
}

/**
 * Makes its session, the task that says when that may work, and gives it its prompt. A daemon that ends in
 * between leaves an empty session, or a task that says that it never had its prompt: never work that nobody
 * knows of.
 */
export async function launchAgent(
  context: TaskContext,
  sessionId: string,
  taskId: string,
  wanted: NewSubAgent,
): Promise<Task> {
  const { description, runId, callId, origin, isForeground, onRestart = 'pause' } = wanted;
  const parent = await context.store.read(() => sessionToRead(SYSTEM, sessionId));
  const agentId = wanted.agentId ?? parent.agentId;
  const { definition } = await context.findAgent(agentId, parent.workspace);
  assertApproved(definition, wanted.programs);
  // The same agent works as it does here; another one as it would, if that is less.
  const mode = agentId === parent.agentId ? parent.mode : definition.mode;
  const by = { kind: 'session' as const, id: sessionId, credentialId: 'session' };
  const made = await createSession(context, by, {
    agentId,
    title: description.slice(0, LIMITS.titleChars),
    mode: lowerMode(mode as PermissionMode, parent.mode as PermissionMode),
    metadata: { taskId },
  });
  const worksIn = made.sessionId;
  const model = made.model === undefined ? {} : { model: made.model };
  const detail = { agentId, sessionId: worksIn, onRestart, ...model };
  const task = { taskId, kind: AGENT.kind, description, detail, isForeground };
  try {
    await createTask(context, sessionId, { ...task, runId, callId, origin });
  } catch (error) {
    await endSession(context, SYSTEM, worksIn);
    throw error;
  }
  try {
    await givePrompt(context, worksIn, `session:${sessionId}`, wanted.prompt);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const end = { cause: 'spawn_failed', message: message.slice(0, LIMITS.descriptionChars) };
    await settleTask(context, taskId, { status: 'failed', end, isTold: true });
    throw error;
  }
  const row = await context.store.read(() => taskRow(taskId));
  return withApprovals(context, decode(row.entry));
}
