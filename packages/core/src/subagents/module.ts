import { access } from '../access/module.js';
import { agents } from '../agents/module.js';
import { inbox } from '../inbox/module.js';
import { nounIdOf } from '../kernel/entry.js';
import { on } from '../kernel/hooks.js';
import { type Committed, defineModule } from '../kernel/module.js';
import { RUN_ENDED } from '../runs/end-run.js';
import { runs } from '../runs/module.js';
import { HELD_BACK } from '../runs/ownership.js';
import { sessions } from '../sessions/module.js';
import { tasks } from '../tasks/module.js';
import { agentRunEnded } from './agent-end.js';
import { AGENT } from './agent-kind.js';
import { type ReadTranscript, SubAgents } from './sub-agents.js';

export interface SubAgentPorts {
  /** Reads part of the transcript of a task; without it there is none. */
  readonly runtime: { readonly readTranscript?: ReadTranscript | undefined };
}

/** Agents that sessions start as background tasks, each in a session of its own. */
export const subagents = defineModule({
  name: 'subagents',
  needs: [access, agents, sessions, runs, inbox, tasks],
  create({ taskContext, tasks, runner, ownership }, { runtime }: SubAgentPorts) {
    const { readTranscript } = runtime;
    const subAgents = new SubAgents(taskContext, tasks, {
      wake: (sessionId) => {
        runner.wake(sessionId);
      },
      idle: (sessionId) => runner.idle(sessionId),
      isAnothers: (session) => ownership.isOwnedByAnother(session),
      ...(readTranscript ? { readTranscript } : {}),
    });
    taskContext.kinds.add(AGENT);
    taskContext.executors.add(AGENT.kind, subAgents);
    const runEnded = ({ data }: Committed<'completed' | 'failed' | 'interrupted'>): void => {
      subAgents.runEnded(data.runId);
    };
    return {
      services: { subAgents },
      within: [
        on(RUN_ENDED, (session, runId, end, closing) =>
          agentRunEnded(taskContext, session, runId, end, closing),
        ),
        on(HELD_BACK, (session) => subAgents.isHeldBack(session)),
      ],
      after: {
        background_task_changed: ({ data }) => {
          subAgents.taskChanged(data.taskId);
        },
        background_task_ended: ({ data }) => {
          subAgents.taskEnded(data.taskId);
        },
        background_task_evicted: ({ topic, data }) => {
          subAgents.taskEvicted(nounIdOf(topic), data.taskId);
        },
        completed: runEnded,
        failed: runEnded,
        interrupted: runEnded,
        cancelled: ({ topic, data }) => {
          subAgents.runCancelled(nounIdOf(topic), data.runId);
        },
        resumed: ({ topic, data }) => {
          subAgents.runResumed(nounIdOf(topic), data);
        },
        session_ended: ({ topic }) => {
          subAgents.sessionEnded(nounIdOf(topic));
        },
      },
    };
  },
});
