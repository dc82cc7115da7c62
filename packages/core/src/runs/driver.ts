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

/** The session of a run, as it was when the run was taken up. */
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
  /** Where what it learns is kept, and whether that is held apart. */
  readonly memoryScope: ChannelRuntimeMemoryScope;
  /** More than one: it was cut off before, and what it did stands in the transcript. */
  readonly attempt: number;
  /** What it is to take: those not delivered yet. */
  readonly items: readonly InboxItem[];
  readonly journal: RunJournal;
  /** Aborts when the run was cancelled, the session is lost to another daemon, or this one stops. */
  readonly signal: AbortSignal;
  /** All of it, or at least its tail. */
  transcript(tail?: TranscriptTail): Promise<Transcript>;
  /** What is remembered where the run may look; throws `memory_isolated` where it may not. */
  recall(request: RecallAllRequest): Promise<RecalledAll>;
  /** What may run without asking, right now: a mode that is changed counts from the next call on. */
  policy(): Promise<Policy>;
  /** Who asked for it, and how far that reaches. */
  readonly requested: Requested;
  /**
   * Asks people and waits; resolves with how it was settled. Rejects when the run ends first. Other arguments that
   * somebody puts in their place are refused, and it goes on waiting, where `whyUnfit` says why they do not fit.
   */
  ask(question: NewApproval, whyUnfit?: WhyUnfit): Promise<Approval>;
  /** Something was heard of what executes the run that is neither written down nor shown. */
  active(): void;
  /** Shows text while it is being written; it is not kept. `step` numbers the model's messages. */
  showText(step: number, text: string): void;
  /** What was shown of this step does not count: its text begins anew. */
  withdrawText(step: number): void;
  /** Shows what a call is about to emit while it is being written; only what needs no approval. */
  showOutput(callId: string, text: string): void;
  /** Such a call came to nothing. */
  withdrawOutput(): void;
}

/** What a driver may say of the end of a run; being cancelled is not for it to say. */
export type DriverEnd =
  | { readonly type: 'completed'; readonly output?: readonly StoredItem[] }
  | Extract<RunEnd, { type: 'failed' | 'interrupted' }>;

/**
 * Executes runs. Promises: it journals before it acts; it tells `delivered` when an item is in the
 * model's context; after the signal aborts it stops what it started and settles soon; it does not
 * repeat a tool call by itself. What it throws fails the run with that code.
 */
export interface Driver {
  readonly kind: DriverKind;
  readonly capabilities: DriverCapabilities;
  execute(run: RunContext): Promise<DriverEnd>;
  /** The session ended, was cleared or was refreshed: what is kept for it outside the journal can go. Must not throw. */
  forget(sessionId: string): void;
  close(): Promise<void>;
}
