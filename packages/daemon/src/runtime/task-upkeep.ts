import { readdir } from 'node:fs/promises';
import type { Core, RuntimePorts } from '@stoa/core';
import { StoaError, SYSTEM } from '@stoa/protocol';
import { type RemovedFiles, TaskFiles } from './task-files.js';
import { TaskTranscripts } from './task-transcripts.js';

export interface TaskUpkeepOptions {
  readonly core: Core;
  readonly tasksDirectory: string;
  readonly location: string;
  /** How long files are kept after the end of the session. */
  readonly keptMs: number;
  readonly diagnose: RuntimePorts['diagnose'];
}

/** Maintains the files of background tasks. */
export interface TaskUpkeep {
  /** Removes the remains of a killed daemon, before anything runs. */
  tidy(): Promise<void>;
  /** Continues the transcripts of the last daemon, after its tasks were recovered. */
  recover(): Promise<void>;
  /** Removes files of tasks that ended long ago; `goOn` is asked before every directory. */
  sweep(goOn: () => boolean): Promise<RemovedFiles>;
  close(): Promise<void>;
}

export function createTaskUpkeep(options: TaskUpkeepOptions): TaskUpkeep {
  const { core, tasksDirectory, keptMs } = options;
  const transcripts = new TaskTranscripts(options);
  const files = new TaskFiles({
    tasksDirectory,
    tasks: core.tasks,
    isRunning: async (...asked) => (await import('@stoa/agent')).isRunningCommand(...asked),
    keptMs,
    now: Date.now,
  });
  core.onCommit((entries) => {
    transcripts.committed(entries);
  });
  return {
    async tidy() {
      // Loads the agent package only if there is something to remove.
      const left = await readdir(tasksDirectory).catch(() => []);
      if (left.length === 0) return;
      const { removeOrphanedFiles } = await import('@stoa/agent');
      await removeOrphanedFiles(tasksDirectory, (taskId) => isListed(core, taskId));
    },
    recover: () => transcripts.recover(),
    sweep: (goOn) => files.sweep(goOn),
    close: () => transcripts.close(),
  };
}

/** The files of a listed task are kept for its readers. */
async function isListed({ tasks }: Core, taskId: string): Promise<boolean> {
  try {
    await tasks.get(SYSTEM, taskId);
    return true;
  } catch (error) {
    return !(error instanceof StoaError && error.code === 'task_not_found');
  }
}
