import type {
  CreateSchedule,
  CreateStimulus,
  InboxItem,
  Schedule,
  Stimulus,
  Task,
  TaskOutput,
} from '@stoa/protocol';
import type { SessionToken } from '../access/session-tokens.js';
import type { StartedProgram } from '../agents/started-programs.js';
import type { TaskRegistry } from '../tasks/tasks.js';

export type NewRunStimulus = Omit<CreateStimulus, 'sourceKind' | 'sourceRef' | 'metadata'> & {
  /** Defaults to the channel of the run. */
  readonly channelId?: string | undefined;
};

export type NewRunSchedule = Pick<CreateSchedule, 'title' | 'cadence' | 'text' | 'maxFires'>;

export interface NewRunMessage {
  readonly toSessionId: string;
  readonly text: string;
  readonly subject?: string | undefined;
}

interface TaskRange {
  readonly offset: number;
  readonly limit: number;
  readonly waitMs: number;
}

/** What a session does with its background tasks and those of the sessions below it. */
export interface TaskActions {
  /** Live tasks, newest first, then tasks that have ended. */
  list(): Promise<readonly Task[]>;
  get(taskId: string): Promise<Task>;
  output(taskId: string, range: TaskRange): Promise<TaskOutput>;
  /** Resolves when the task has ended. */
  stop(taskId: string): Promise<Task>;
  send(taskId: string, text: string): Promise<Task>;
}

interface NewRunAgent {
  readonly description: string;
  readonly prompt: string;
  /** Defaults to the agent of the session. */
  readonly agentId?: string | undefined;
  /** The caller waits for its result. */
  readonly isForeground: boolean;
  readonly onRestart?: 'pause' | 'resume' | undefined;
  /** The approved programs, as `programsOf` labelled them. */
  readonly programs: readonly string[];
}

export interface SubAgentActions {
  /** The programs and servers that start with an agent. */
  programsOf(agentId: string | undefined): Promise<readonly StartedProgram[]>;
  launch(callId: string, wanted: NewRunAgent): Promise<Task>;
  /** Resolves when the agent has ended or continues in the background. Rejects when the signal aborts. */
  finished(taskId: string, signal: AbortSignal): Promise<Task>;
  /** The whole final answer of an agent. */
  resultOf(task: Task): Promise<string>;
}

export interface RunAsset {
  readonly name: string | undefined;
  readonly mediaType: string;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
}

/** What a run does besides acting in channels. */
export interface DomainActions {
  readonly stimuli: { create(callId: string, request: NewRunStimulus): Promise<Stimulus> };
  readonly schedules: { create(callId: string, request: NewRunSchedule): Promise<Schedule> };
  /**
   * Messages to other sessions. A message from a background agent to the session that started it is a milestone:
   * it is also posted in the thread where the agent was started.
   */
  readonly messages: { send(callId: string, message: NewRunMessage): Promise<InboxItem> };
  readonly tasks: TaskActions;
  readonly subAgents: SubAgentActions;
  /** An asset of the input; undefined when it has been deleted. */
  readonly assets: { readonly find: (assetId: string) => Promise<RunAsset | undefined> };
  /** A token with which a program acts as the session, until it is revoked. */
  readonly tokens: { issue(): SessionToken };
  /** Where the processes that the run starts are registered; it may be used after the run has ended. */
  readonly taskRegistry: TaskRegistry;
}

declare module '../runs/run-actions.js' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it adds these actions to those of runs
  interface RunActions extends DomainActions {}
}
