import type { TaskActs } from '@stoa/agent';
import type { Core, RunContext } from '@stoa/core';
import type { Principal } from '@stoa/protocol';

/** How many an agent is shown. */
const LISTED = 50;

/** What a session does with its background tasks, in its own name. */
export function taskActsOf(core: () => Core): TaskActs {
  return {
    async list(run) {
      const { tasks, storeWait } = core();
      const list = () => tasks.list(selfOf(run), { limit: LISTED });
      return (await storeWait.run(list, run.signal)).tasks;
    },
    get: (run, taskId) =>
      core().storeWait.run(() => core().tasks.get(selfOf(run), taskId), run.signal),
    output: (run, taskId, range) =>
      core().storeWait.run(() => core().tasks.output(selfOf(run), taskId, range), run.signal),
    stop: (run, taskId) => core().tasks.stop(selfOf(run), taskId),
    send: (run, taskId, text) => core().tasks.send(selfOf(run), taskId, text),
    programsOf: ({ session }, agentId) => core().subAgents.programsOf(session.sessionId, agentId),
    launch({ runId, origin, session }, callId, wanted) {
      return core().subAgents.launch(session.sessionId, { ...wanted, runId, callId, origin });
    },
    finished: (taskId, signal) => core().subAgents.finished(taskId, signal),
    resultOf: (task) => core().subAgents.resultOf(task),
  };
}

const selfOf = ({ session }: RunContext): Principal => ({
  kind: 'session',
  id: session.sessionId,
  credentialId: 'session',
});
