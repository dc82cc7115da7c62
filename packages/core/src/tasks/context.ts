import type { StimulusContext } from '../stimuli/context.js';
import type { TaskExecutors, TaskKinds } from './kinds.js';

/** What the operations of background tasks work with. */
export interface TaskContext extends StimulusContext {
  readonly kinds: TaskKinds;
  readonly executors: TaskExecutors;
  /** The machine and data directory that processes of this daemon belong to. */
  readonly location: string;
  /** The directory of the files of tasks. */
  readonly directory: string;
}
