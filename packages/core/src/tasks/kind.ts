import type { BindingKind, Metadata, Task, TaskEntry } from '@stoa/protocol';

/** The rules of a kind of background task. Its `TaskExecutor` carries them out. */
export interface TaskKind {
  /** Lower case and underscores. */
  readonly kind: string;
  /** How a task of this kind is bound to the work of a thread; `task` by default. */
  readonly bindingKind?: BindingKind;
  /** What is wrong with a detail; see `detailFields`. */
  detailProblem(detail: Metadata): string | undefined;
  /** How many slots a person has for this kind; undefined: no limit. */
  readonly atOnce?: number;
  /** How many tasks of this kind a session has at once, queued ones included. */
  readonly atOnceInSession?: number;
  /** What happens if no slot is free. */
  readonly whenFull: 'refuse' | 'queue';
  /** How many ended tasks of a session stay listed. */
  readonly keepsFinished: number;
  /** What happens to a task when its session ends and has a session above it. */
  readonly ownerEnded: 'hand_over' | 'stop';
  /** What happens to a task that ran when the daemon stopped. */
  afterRestart(task: TaskEntry): 'reattach' | 'pause';
  /** Whether a completed task can be continued. */
  readonly canRevive: boolean;
  /** The text of the notice, if it differs from `noticeText`. */
  notice?(task: TaskEntry, tail: string | undefined): string;
  /** Why a task cannot take a message; undefined if it can. */
  refusesMessage(task: TaskEntry): string | undefined;
  /** The session that works for a task. Its approvals count as those of the task. */
  worksIn?(task: TaskEntry): string | undefined;
}

/** A message for a task. */
export interface TaskMessage {
  readonly text: string;
  /** An actor. */
  readonly from: string;
}

/** A part of the output, by bytes. */
export interface OutputRange {
  readonly offset: number;
  readonly limit: number;
}

export interface OutputPart {
  readonly offset: number;
  readonly nextOffset: number;
  readonly oldestOffset: number;
  readonly size: number;
  readonly text: string;
}

/** Carries out the tasks of a kind. It reports to the registry how a task goes on (`settle`, `change`). */
export interface TaskExecutor {
  /** Starts a task that was queued. If it throws, the task fails as `spawn_failed`. */
  start?(task: Task): Promise<void>;
  /** Resolves when the task has stopped completely. If it does not settle the task, the task is cancelled. */
  stop(task: Task, by: string): Promise<void>;
  send?(task: Task, message: TaskMessage): Promise<void>;
  /** Continues a paused task, or revives one; its status is `running` already. */
  resume?(task: Task): Promise<void>;
  /** Why a paused task cannot continue now. Without this method the stored reason holds. */
  whyBlocked?(task: Task): Promise<string | undefined>;
  /** After a start of the daemon: continues the task, or settles it. */
  reattach(task: Task): Promise<void>;
  /** After a start of the daemon, when all of its tasks were reattached. */
  recovered?(): Promise<void>;
  /** Regularly: finds what no event of this daemon reported. */
  tick?(): Promise<void>;
  /** Output from an offset on, at most `limit` bytes, cut between characters. Undefined: there is none. */
  read?(task: Task, range: OutputRange): Promise<OutputPart | undefined>;
  /** Tasks that tool calls wait for and that have no entry. */
  foreground?(): readonly Task[];
  /** Ends the tool call that waits for the task; the task goes on in the background. */
  promote?(task: Task): Promise<void>;
  /** The task was evicted: its files can be removed. */
  forget?(task: Task): Promise<void>;
}
