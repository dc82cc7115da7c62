import type { TaskEntry } from '@stoa/protocol';
import { detailFields } from '../tasks/detail-fields.js';
import type { TaskKind } from '../tasks/kind.js';
import { endText } from '../tasks/notice-text.js';

/** The detail of a task of an agent. */
export interface AgentDetail {
  readonly agentId: string;
  /** The session it works in. */
  readonly sessionId?: string;
  readonly model?: string;
  /** Whether a restart of the daemon pauses it. */
  readonly onRestart?: 'pause' | 'resume';
  /** Its last run that ended, and the output of that run, shortened. */
  readonly lastRunId?: string;
  readonly result?: string;
  /** The usage of all its runs. */
  readonly modelCalls?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export const agentDetail = ({ detail }: Pick<TaskEntry, 'detail'>): AgentDetail =>
  detail as unknown as AgentDetail;

export const AGENT: TaskKind = {
  kind: 'agent',
  bindingKind: 'sidechain_agent',
  detailProblem: detailFields({
    agentId: 'text',
    'sessionId?': 'text',
    'model?': 'text',
    'onRestart?': 'text',
    'lastRunId?': 'text',
    'result?': 'text',
    'modelCalls?': 'count',
    'inputTokens?': 'count',
    'outputTokens?': 'count',
  }),
  atOnce: 10,
  whenFull: 'queue',
  keepsFinished: 32,
  ownerEnded: 'stop',
  afterRestart: (task) => (agentDetail(task).onRestart === 'resume' ? 'reattach' : 'pause'),
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
  // The stored reason may be gone by now, so the executor checks when a message arrives.
  refusesMessage: () => undefined,
  worksIn: (task) => agentDetail(task).sessionId,
};
