import type {
  Approval,
  ChannelRuntimeIdentity,
  ChannelRuntimeMemoryScope,
  DriverCapabilities,
  DriverKind,
  InboxItem,
  Origin,
  Persona,
  StoredItem,
  WorkKind,
} from '@stoa/protocol';
import type { WhyUnfit } from '../approvals/approvals.js';
import type { NewApproval } from '../approvals/ask.js';
import type { RecallAllRequest, RecalledAll } from '../memory/recall-all.js';
import type { Policy } from '../permissions/decide.js';
import type { Requested } from '../sessions/run-facts.js';
import type { RunActions } from './run-actions.js';
import type { RunEnd } from './run-end.js';
import type { RunJournal } from './run-journal.js';
import type { Transcript } from './transcript.js';
import type { TranscriptTail } from './transcript-tail.js';

/** The session of a run, as it was when the run was claimed. */
export interface RunSession {
  readonly sessionId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly workspace: string;
  readonly persona: Persona;
  readonly identity: ChannelRuntimeIdentity;
  readonly memoryScope: ChannelRuntimeMemoryScope;
  readonly responsibleId: string;
  readonly parentSessionId: string | null;
}

/** A run that a driver executes, with the actions of the run on the domain. */
export interface RunContext extends RunActions {
  readonly session: RunSession;
  readonly runId: string;
  readonly kind: WorkKind;
  readonly origin: Origin;
  /** The namespace of its notes, and whether it is isolated. */
  readonly memoryScope: ChannelRuntimeMemoryScope;
  /** More than one: an earlier attempt was interrupted, and the transcript shows what it did. */
  readonly attempt: number;
  /** The items that were not delivered yet. */
  readonly items: readonly InboxItem[];
  readonly journal: RunJournal;
  /** Aborts when the run was cancelled, another daemon owns the session, or this daemon stops. */
  readonly signal: AbortSignal;
  /** The whole transcript, or at least its tail. */
  transcript(tail?: TranscriptTail): Promise<Transcript>;
  /** Searches the notes that the run may read; throws `memory_isolated` for others. */
  recall(request: RecallAllRequest): Promise<RecalledAll>;
  /** What may run without an approval now. A changed mode applies from the next call on. */
  policy(): Promise<Policy>;
  /** Who asked for the run, and what they may cause. */
  readonly requested: Requested;
  /**
   * Asks people and waits; resolves with the settled approval. Rejects when the run ends first. An answer with changed
   * arguments is refused, and the wait continues, if `whyUnfit` returns a reason.
   */
  ask(question: NewApproval, whyUnfit?: WhyUnfit): Promise<Approval>;
  /** Reports that the run is active although nothing is journaled or shown. */
  active(): void;
  /** Shows text that the model is still writing; it is not stored. `step` numbers the model's messages. */
  showText(step: number, text: string): void;
  /** Removes the shown text of this step: its text starts again. */
  withdrawText(step: number): void;
  /** Shows the output of a call that the model is still writing; only for calls that need no approval. */
  showOutput(callId: string, text: string): void;
  /** Such a call was not made. */
  withdrawOutput(): void;
}

/** How a driver may end a run. It cannot cancel one. */
export type DriverEnd =
  | { readonly type: 'completed'; readonly output?: readonly StoredItem[] }
  | Extract<RunEnd, { type: 'failed' | 'interrupted' }>;

/**
 * Executes runs. Promises: it journals before it acts; it reports `delivered` when an item is in the model's context; after
 * the signal aborts it stops what it started and settles soon; it does not repeat a tool call automatically. An error that
 * it throws fails the run with the code of the error.
 */
export interface Driver {
  readonly kind: DriverKind;
  readonly capabilities: DriverCapabilities;
  execute(run: RunContext): Promise<DriverEnd>;
  /** The session ended, was cleared or was refreshed: state outside of the journal can be deleted. Must not throw. */
  forget(sessionId: string): void;
  close(): Promise<void>;
}
