import type { TaskEntry } from '@stoa/protocol';
import { z } from 'zod';
import type { TaskKind } from '../kind.js';
import { endText } from '../notice.js';

const Count = z.int().min(0);

/** What is known of an agent that works in a session of its own. */
export const AgentDetail = z.looseObject({
  agentId: z.string(),
  /** The session it works in. */
  sessionId: z.string().optional(),
  model: z.string().optional(),
  /** Goes on by itself after a restart instead of being paused. */
  onRestart: z.enum(['pause', 'resume']).optional(),
  /** Its last run that ended, and how what it said there begins. */
  lastRunId: z.string().optional(),
  result: z.string().optional(),
  modelCalls: Count.optional(),
  inputTokens: Count.optional(),
  outputTokens: Count.optional(),
});
export type AgentDetail = z.infer<typeof AgentDetail>;

export const agentDetail = ({ detail }: Pick<TaskEntry, 'detail'>): AgentDetail =>
  detail as AgentDetail;

export const AGENT: TaskKind = {
  kind: 'agent',
  detail: AgentDetail,
  atOnce: 10,
  whenFull: 'queue',
  keepsFinished: 32,
  ownerEnded: 'stop',
  // Whether it is paused depends on what became of its session: its executor looks.
  afterRestart: () => 'reattach',
  canRevive: true,
  notice: (task) => {
    const { result, modelCalls = 0, inputTokens = 0, outputTokens = 0 } = agentDetail(task);
    const { taskId, kind, description, end, transcriptPath } = task;
    const lines = [`Background task ${taskId} (${kind}: ${description}) ${endText(task)}.`];
    if (end?.message !== undefined) lines.push(end.message);
    if (result !== undefined) lines.push(`Result:\n${result}`);
    const tokens = `${String(inputTokens)} tokens in, ${String(outputTokens)} out`;
    lines.push(`Usage: ${String(modelCalls)} model calls, ${tokens}`);
    if (transcriptPath !== undefined) lines.push(`Transcript: ${transcriptPath}`);
    return lines.join('\n');
  },
  // What blocks one may be gone by now: its executor looks when a message comes.
  refusesMessage: () => undefined,
  worksIn: (task) => agentDetail(task).sessionId,
};
