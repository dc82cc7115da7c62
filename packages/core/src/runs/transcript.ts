import {
  type AssistantPart,
  type Ceiling,
  type ChannelDelivery,
  type ChannelRuntimeMemoryScope,
  JOURNAL_EVENTS,
  type Metadata,
  type Origin,
  type SessionEvent,
  type StoredItem,
  type TerminalRunStatus,
  type ToolOutcome,
  type WorkKind,
} from '@stoa/protocol';
import {
  type EventRow,
  findInboxItem,
  findSession,
  listEventsAfter,
  type Store,
  type Tx,
} from '@stoa/store';
import { decode, decodeEvent } from '../kernel/codec.js';
import { contextStart, isInView } from './context-start.js';
import { lastNote, type Range, type TranscriptTail, tailStart } from './transcript-tail.js';

/** An input of the agent. */
export interface TranscriptInput {
  readonly itemId: string;
  readonly kind: WorkKind;
  readonly from: string;
  readonly fromName: string;
  readonly subject?: string | undefined;
  readonly inputItems: readonly StoredItem[];
  readonly origin: Origin;
  readonly delivery?: ChannelDelivery | undefined;
  readonly metadata: Metadata;
  readonly requestedBy?: string | undefined;
  readonly ceiling?: Ceiling | undefined;
}

/** Notes are absent if they could not be read. */
export type InjectedContext = Pick<
  Data<'context_given'>,
  'channelId' | 'channelIdentity' | 'memoryScope' | 'files' | 'notes' | 'olderNotes'
>;

export type TranscriptEntry =
  | { readonly type: 'summary'; readonly seq: number; readonly text: string }
  | {
      /** The identity and memory of the channel, injected with a turn. */
      readonly type: 'context';
      readonly seq: number;
      readonly runId: string;
      readonly context: InjectedContext;
    }
  | {
      readonly type: 'input';
      readonly seq: number;
      readonly runId: string;
      readonly input: TranscriptInput;
    }
  | {
      readonly type: 'assistant';
      readonly seq: number;
      readonly runId: string;
      readonly step: number;
      readonly provider: string | undefined;
      readonly parts: readonly AssistantPart[];
    }
  | {
      readonly type: 'tool_result';
      readonly seq: number;
      readonly runId: string;
      readonly callId: string;
      readonly tool: string;
      readonly outcome: ToolOutcome;
      readonly output: string;
    }
  | {
      readonly type: 'end';
      readonly seq: number;
      readonly runId: string;
      readonly how: TerminalRunStatus;
    };

/** The inputs and actions of an agent since its context was cleared or compacted. */
export interface Transcript {
  readonly entries: readonly TranscriptEntry[];
  /** Calls of the active run that the model requested and that were not started yet. */
  readonly pending: readonly Extract<AssistantPart, { type: 'tool_call' }>[];
  /** Calls of the active run that were started, with or without a result. */
  readonly started: ReadonlySet<string>;
  /** Whether the beginning was left out. */
  readonly isCut: boolean;
  /** The last note of each code. */
  readonly notes: ReadonlyMap<string, string>;
}

type Data<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

const PAGE = 500;
const IN_TRANSCRIPT: ReadonlySet<string> = new Set(JOURNAL_EVENTS);

/** Reads the journal of a session from the start of its context. */
export function readTranscript(
  store: Store,
  sessionId: string,
  runId: string,
  view: string,
  tail?: TranscriptTail,
): Promise<Transcript> {
  return store.read(() => transcriptOf(sessionId, runId, view, tail));
}

function* transcriptOf(
  sessionId: string,
  runId: string,
  view: string,
  tail?: TranscriptTail,
): Tx<Transcript> {
  const session = yield* findSession.first({ sessionId });
  if (!session) return NOTHING;
  const { topicId } = session;
  const { summary, ...begin } = yield* contextStart(session, view);
  const builder = new TranscriptBuilder(runId);
  if (summary) builder.begin(summary.seq, summary.text);
  let { after } = begin;
  if (tail) {
    const range = { topicId, after, before: session.head + 1 };
    const start = yield* tailStart(range, runId, tail.bytes);
    if (start > after) yield* builder.cut({ ...range, before: start + 1 }, tail.note, view);
    after = start;
  }
  for (;;) {
    const page: EventRow[] = yield* listEventsAfter.all({ topicId, after, limit: PAGE });
    for (const row of page) {
      if (!IN_TRANSCRIPT.has(row.type)) continue;
      const event = decodeEvent(row) as SessionEvent;
      if (!isInView(view, event.data as { memoryScope?: ChannelRuntimeMemoryScope })) continue;
      if (event.type === 'delivered' && !builder.knows(event.data.itemId)) {
        const item = yield* findInboxItem.first({ itemId: event.data.itemId });
        if (item) builder.accept(decode(item.accepted));
      }
      builder.add(row.seq, event);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return builder.finish();
    after = last.seq;
  }
}

const NOTHING: Transcript = {
  entries: [],
  pending: [],
  started: new Set(),
  isCut: false,
  notes: new Map(),
};

type Call = Extract<AssistantPart, { type: 'tool_call' }>;

/**
 * Builds a transcript that a model accepts: every call of an assistant's message is followed by its result. A call without
 * a result, of a run that has ended, gets one that states so.
 */
class TranscriptBuilder {
  readonly #entries: TranscriptEntry[] = [];
  readonly #accepted = new Map<string, Data<'accepted'>>();
  /** Calls without a result, by id, in the order in which the model requested them. */
  readonly #open = new Map<string, { readonly call: Call; readonly runId: string }>();
  /** The run of each call that was started. */
  readonly #started = new Map<string, string>();
  readonly #notes = new Map<string, string>();

  #isCut = false;

  constructor(private readonly currentRunId: string) {}

  begin(seq: number, summary: string): void {
    this.#entries.push({ type: 'summary', seq, text: summary });
  }

  /** Begins after the part that is left out. Only the last note of this code is read from that part. */
  *cut(leftOut: Range, code: string, view: string): Tx<void> {
    this.#isCut = true;
    const text = yield* lastNote(leftOut, code, view);
    if (text !== undefined) this.#notes.set(code, text);
  }

  knows(itemId: string): boolean {
    return this.#accepted.has(itemId);
  }

  accept(accepted: Data<'accepted'>): void {
    this.#accepted.set(accepted.itemId, accepted);
  }

  add(seq: number, event: SessionEvent): void {
    switch (event.type) {
      case 'accepted':
        this.accept(event.data);
        return;
      case 'delivered': {
        const accepted = this.#accepted.get(event.data.itemId);
        if (accepted) this.#entries.push(inputEntry(seq, event.data.runId, accepted));
        return;
      }
      case 'model_message': {
        const { runId, step, provider, parts } = event.data;
        this.#entries.push({ type: 'assistant', seq, runId, step, provider, parts });
        for (const part of parts)
          if (part.type === 'tool_call') this.#open.set(part.callId, { call: part, runId });
        return;
      }
      case 'tool_call':
        this.#started.set(event.data.callId, event.data.runId);
        return;
      case 'tool_result': {
        const { runId, callId, tool, outcome, output } = event.data;
        if (!this.#open.delete(callId)) return;
        this.#entries.push({ type: 'tool_result', seq, runId, callId, tool, outcome, output });
        return;
      }
      case 'context_given': {
        const { runId, channelId, channelIdentity, memoryScope, files, notes, olderNotes } =
          event.data;
        const context = { channelId, channelIdentity, memoryScope, files, notes, olderNotes };
        this.#entries.push({ type: 'context', seq, runId, context });
        return;
      }
      case 'note':
        this.#notes.set(event.data.code, event.data.text);
        return;
      case 'completed':
      case 'failed':
      case 'cancelled':
      case 'interrupted':
        this.#close(seq, event.data.runId, event.type);
        this.#entries.push({ type: 'end', seq, runId: event.data.runId, how: event.type });
        return;
      default:
        return;
    }
  }

  finish(): Transcript {
    const pending: Call[] = [];
    for (const { call, runId } of this.#open.values()) {
      if (runId === this.currentRunId && !this.#started.has(call.callId)) pending.push(call);
    }
    const started = new Set<string>();
    for (const [callId, runId] of this.#started)
      if (runId === this.currentRunId) started.add(callId);
    return {
      entries: this.#entries,
      pending,
      started,
      isCut: this.#isCut,
      notes: this.#notes,
    };
  }

  #close(seq: number, endedRunId: string, how: string): void {
    for (const { call, runId } of [...this.#open.values()]) {
      if (runId !== endedRunId) continue;
      this.#open.delete(call.callId);
      const wasStarted = this.#started.has(call.callId);
      this.#entries.push({
        type: 'tool_result',
        seq,
        runId,
        callId: call.callId,
        tool: call.tool,
        outcome: wasStarted ? 'unknown' : 'cancelled',
        output: wasStarted
          ? `The run ended (${how}) while this call was under way; its outcome is unknown.`
          : `The run ended (${how}) before this call was started.`,
      });
    }
  }
}

function inputEntry(seq: number, runId: string, accepted: Data<'accepted'>): TranscriptEntry {
  const { itemId, kind, from, fromName, subject, inputItems, origin, delivery, metadata } =
    accepted;
  const { requestedBy, ceiling } = accepted;
  const what = { itemId, kind, from, fromName, subject, inputItems, origin, delivery, metadata };
  const input = { ...what, requestedBy, ceiling };
  return { type: 'input', seq, runId, input };
}
