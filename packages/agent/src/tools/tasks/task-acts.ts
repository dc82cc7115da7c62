import type { RunContext, StartedProgram } from '@stoa/core';
import type { Task, TaskOutput } from '@stoa/protocol';

/** A sub-agent that an agent wants. */
export interface WantedAgent {
  readonly description: string;
  readonly prompt: string;
  readonly agentId?: string | undefined;
  readonly isForeground: boolean;
  readonly onRestart?: 'pause' | 'resume' | undefined;
  /** What was approved to start with it, as `programsOf` named it. */
  readonly programs: readonly string[];
}

/** What an agent can do with the background tasks of its session and of those below it. Throws StoaErrors. */
export interface TaskActs {
  /** Those that live, newest first, then those that ended. */
  list(run: RunContext): Promise<readonly Task[]>;
  get(run: RunContext, taskId: string): Promise<Task>;
  output(
    run: RunContext,
    taskId: string,
    range: { readonly offset: number; readonly limit: number; readonly waitMs: number },
  ): Promise<TaskOutput>;
  /** Resolves when it is gone. */
  stop(run: RunContext, taskId: string): Promise<Task>;
  send(run: RunContext, taskId: string, text: string): Promise<Task>;
  /** The programs and servers that come with an agent. */
  programsOf(run: RunContext, agentId: string | undefined): Promise<readonly StartedProgram[]>;
  launch(run: RunContext, callId: string, wanted: WantedAgent): Promise<Task>;
  /** Resolves when it has ended, or goes on in the background. Rejects when the signal aborts. */
  finished(taskId: string, signal: AbortSignal): Promise<Task>;
  /** All that an agent said at its end. */
  resultOf(task: Task): Promise<string>;
}
