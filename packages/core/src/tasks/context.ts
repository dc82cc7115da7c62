import type { StimulusContext } from '../stimuli/context.js';
import type { TaskExecutors } from './executors.js';
import type { TaskKinds } from './kinds.js';

/** What every verb of tasks works with: what ends may be told in a thread. */
export interface TaskContext extends StimulusContext {
  readonly kinds: TaskKinds;
  readonly executors: TaskExecutors;
  /** The machine and data directory that processes of this daemon belong to. */
  readonly location: string;
  /** Where the files of tasks are. */
  readonly directory: string;
}
