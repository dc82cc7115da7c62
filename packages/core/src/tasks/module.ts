import { TASK_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { channels } from '../channels/module.js';
import { inbox } from '../inbox/module.js';
import { nounIdOf } from '../kernel/entry.js';
import { on } from '../kernel/hooks.js';
import { defineModule } from '../kernel/module.js';
import { RUN_ENDED } from '../runs/end-run.js';
import { runs } from '../runs/module.js';
import { sessions } from '../sessions/module.js';
import { stimuli } from '../stimuli/module.js';
import { work } from '../work/module.js';
import type { TaskContext } from './context.js';
import type { TaskExecutor, TaskKind } from './kind.js';
import { TaskExecutors, TaskKinds } from './kinds.js';
import { noticesDueAgain } from './notice.js';
import { TASK_EVENTS } from './projection.js';
import { type TaskRegistry, Tasks } from './tasks.js';

export interface TaskPorts {
  readonly runtime: {
    /** Creates the executor of each kind of background task. */
    readonly taskExecutors: ReadonlyMap<string, (tasks: TaskRegistry) => TaskExecutor>;
    /** Kinds of background tasks besides those that come with Stoa. */
    readonly taskKinds?: readonly TaskKind[] | undefined;
    /** The directory of the files of background tasks. */
    readonly taskDirectory: string;
    /** The machine and data directory. A later daemon at the same location takes over the tasks of this one. */
    readonly location: string;
  };
}

/** Background tasks: one registry for every kind. */
export const tasks = defineModule({
  name: 'tasks',
  needs: [access, sessions, channels, runs, inbox, work, stimuli],
  events: TASK_EVENTS,
  tables: { session: TASK_TABLES },
  create({ stimulusContext }, { runtime }: TaskPorts) {
    const executors = new TaskExecutors();
    const taskContext: TaskContext = {
      ...stimulusContext,
      kinds: new TaskKinds(runtime.taskKinds),
      executors,
      location: runtime.location,
      directory: runtime.taskDirectory,
    };
    const service = new Tasks(taskContext);
    for (const [kind, create] of runtime.taskExecutors) executors.add(kind, create(service));
    return {
      services: { taskContext, tasks: service },
      within: [
        on(RUN_ENDED, (session, _runId, _end, closing) => noticesDueAgain(session, closing)),
      ],
      after: {
        background_task_ended: () => {
          service.slotFreed();
        },
        background_task_changed: ({ data }) => {
          if (data.change.status !== undefined) service.slotFreed();
        },
        session_ended: ({ topic }) => {
          service.sessionEnded(nounIdOf(topic));
        },
      },
      recover: () => service.recover(),
      ticks: [{ everyMs: 5_000, run: () => service.tick() }],
      close: () => service.close(),
    };
  },
});
