import type { BindingKind, Metadata, Task, TaskEntry } from '@stoa/protocol';

/** What every kind of background task has to say of itself. It decides and does nothing: see `TaskExecutor`. */
export interface TaskKind {
  /** Lower case and underscores. */
  readonly kind: string;
  /** How a task of this kind is bound to the work of a thread; `task` if not given. */
  readonly bindingKind?: BindingKind;
  /** What is wrong with what is said of one in `detail`, whenever it is written; see `detailFields`. */
  detailProblem(detail: Metadata): string | undefined;
  /** How many of one person run at once; undefined: as many as there is room for. */
  readonly atOnce?: number;
  /** How many of one session live at once. */
  readonly atOnceInSession?: number;
  /** What becomes of one more. */
  readonly whenFull: 'refuse' | 'queue';
  /** How many of a session stay listed when they have ended. */
  readonly keepsFinished: number;
  /** What becomes of it when its session ends and another is above that one. */
  readonly ownerEnded: 'hand_over' | 'stop';
  /** What becomes of one that ran when the daemon ended. */
  afterRestart(task: TaskEntry): 'reattach' | 'pause';
  /** Whether a completed one can go on. */
  readonly canRevive: boolean;
  /** What its session is told at its end, instead of the words that every kind has; never of a foreground one. */
  notice?(task: TaskEntry, tail: string | undefined): string;
  /** Why it cannot take a message; undefined when it can. */
  refusesMessage(task: TaskEntry): string | undefined;
  /** The session that works for it, whose questions are its own. */
  worksIn?(task: TaskEntry): string | undefined;
}

/** A message for a task. */
export interface TaskMessage {
  readonly text: string;
  /** Who sends it, as an actor. */
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

/**
 * What a kind does in the world. Given by the daemon, under the name of the kind. It tells the registry what
 * became of a task (`settle`, `change`); what it does not tell, did not happen.
 */
export interface TaskExecutor {
  /** Begins one that waited for a place. What it throws fails the task as `spawn_failed`. */
  start?(task: Task): Promise<void>;
  /** Resolves when it is gone, all of it. It settles the task; one it leaves unsettled counts as cancelled. */
  stop(task: Task, by: string): Promise<void>;
  send?(task: Task, message: TaskMessage): Promise<void>;
  /** Goes on with one that was paused, or revives one; it is `running` already. */
  resume?(task: Task): Promise<void>;
  /** Why a paused one cannot go on, as it is now; without it what was said last holds. */
  whyBlocked?(task: Task): Promise<string | undefined>;
  /** After a start of the daemon: goes on with it, or settles it. */
  reattach(task: Task): Promise<void>;
  /** After a start of the daemon, when all of its tasks were taken up again. */
  recovered?(): Promise<void>;
  /** Now and then: what it was not told of. */
  tick?(): Promise<void>;
  /** Output by offset, at most `limit` bytes, cut between characters. Undefined: it has none. */
  read?(task: Task, range: OutputRange): Promise<OutputPart | undefined>;
  /** What tool calls wait for that has no entry. */
  foreground?(): readonly Task[];
  /** Lets the tool call that waits for it go on without it. */
  promote?(task: Task): Promise<void>;
  /** It is not listed any more: what is kept of it can go. */
  forget?(task: Task): Promise<void>;
}
