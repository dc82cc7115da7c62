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
import { sendPrompt } from './message-agent.js';

export interface NewSubAgent {
  readonly description: string;
  readonly prompt: string;
  /** By default the agent of the session. */
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

/** The programs that an agent starts. */
export async function programsOf(
  context: TaskContext,
  sessionId: string,
  agentId: string | undefined,
): Promise<StartedProgram[]> {
  const parent = await context.store.read(() => sessionToRead(SYSTEM, sessionId));
  const { definition } = await context.findAgent(agentId ?? parent.agentId, parent.workspace);
  return startedPrograms(definition);
}

/** The definition may have changed since its programs were approved. */
function assertApproved(definition: AgentDefinition, approved: readonly string[]): void {
  const labels = startedPrograms(definition).map(({ label }) => label);
  if (labels.every((label) => approved.includes(label))) return;
  throw new StoaError(
    'agent_broken',
    'The definition of the agent changed since its programs were approved; call it again',
  );
}

/**
 * Creates the session of an agent, then its task, and then sends the prompt. If the daemon stops in between, there is an empty
 * session, or a task without a prompt, which fails after the restart.
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
  // The same agent keeps the mode of the session; another one has its own mode, at most that of the session.
  const mode = agentId === parent.agentId ? parent.mode : definition.mode;
  const by = { kind: 'session' as const, id: sessionId, credentialId: 'session' };
  const created = await createSession(context, by, {
    agentId,
    title: description.slice(0, LIMITS.titleChars),
    mode: lowerMode(mode as PermissionMode, parent.mode as PermissionMode),
    metadata: { taskId },
  });
  const worksIn = created.sessionId;
  const model = created.model === undefined ? {} : { model: created.model };
  const detail = { agentId, sessionId: worksIn, onRestart, ...model };
  const task = { taskId, kind: AGENT.kind, description, detail, isForeground };
  try {
    await createTask(context, sessionId, { ...task, runId, callId, origin });
  } catch (error) {
    await endSession(context, SYSTEM, worksIn);
    throw error;
  }
  try {
    await sendPrompt(context, worksIn, `session:${sessionId}`, wanted.prompt);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const end = { cause: 'spawn_failed', message: message.slice(0, LIMITS.descriptionChars) };
    await settleTask(context, taskId, { status: 'failed', end, isReported: true });
    throw error;
  }
  const row = await context.store.read(() => taskRow(taskId));
  return withApprovals(context, decode(row.entry));
}
