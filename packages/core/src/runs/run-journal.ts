import {
  type Approval,
  type DeliveredHow,
  type InputItem,
  memoryTopic,
  type SessionEvent,
  StoaError,
  type StoredItem,
  sessionTopic,
  type Usage,
} from '@stoa/protocol';
import {
  findEvent,
  findMemory,
  findNote,
  findRunRow,
  listEventsOfTypeBefore,
  listWaitingItemsOfRun,
  type Tx,
} from '@stoa/store';
import { askPeople, type NewApproval } from '../approvals/ask.js';
import { assetOfBoard } from '../assets/board-reference.js';
import { dataOf } from '../kernel/codec.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { keepNote } from '../memory/keep-note.js';
import { memoryIdOf } from '../memory/memory-id.js';
import type { SessionContext } from '../sessions/context.js';
import { lockChannelOf } from '../sessions/lock-channels.js';
import { itemRecord, waitsForBoundary } from '../sessions/records.js';
import { factsOf, inSession, requestedIn } from '../sessions/run-facts.js';
import { type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import { endRun, type RunFacts } from './end-run.js';
import type { Claim } from './ownership.js';
import type { RunActivity } from './run-activity.js';
import type { RunEnd } from './run-end.js';

type Data<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];
type Facts = 'runId' | 'origin' | 'identity' | 'memoryScope';
type Step<T extends SessionEvent['type']> = Omit<Data<T>, Facts>;

/** An item of an output. A board reference becomes the current content of the board. */
export type EmittedItem = Exclude<InputItem, { type: 'inline_asset' }>;

/** Only so many of the newest messages are counted. */
const COUNTED_MESSAGES = 200;

/**
 * What a driver writes about its run. Every write is one commit that first checks the fence: the session still belongs to
 * this daemon under the same epoch, and the run is still active. Otherwise it throws `ownership_lost` or `run_ended`, writes
 * nothing, and the driver has to stop. So nothing of a run appears after its end.
 *
 * While the store is unavailable a write waits, which suspends the run. It continues when the store is back, and no write is
 * made twice. A long wait is noted in the journal, once.
 */
export class RunJournal {
  /** The last write that noted a wait. */
  #noted: { readonly by: symbol; readonly at: number } | undefined;

  constructor(
    private readonly context: SessionContext,
    private readonly claim: Claim,
    private readonly signal?: AbortSignal,
    private readonly activity?: RunActivity,
  ) {}

  /** Items are in the model's context and count as delivered. */
  async delivered(itemIds: readonly string[], how: DeliveredHow = 'start'): Promise<void> {
    await this.#write(function* (session, facts) {
      const events: NewEvent[] = [];
      const { topicId } = session;
      for (const item of yield* listWaitingItemsOfRun.all({ topicId, runId: facts.runId })) {
        if (!itemIds.includes(item.itemId)) continue;
        const data = { itemId: item.itemId, how, ...facts };
        events.push(inSession(session, { type: 'delivered', data }));
      }
      return written(events);
    });
  }

  /** Takes the items that wait to be injected. The same commit marks them as delivered. */
  takeInjected() {
    return this.#write(function* (session, facts) {
      const { topicId } = session;
      const items = yield* listWaitingItemsOfRun.all({ topicId, runId: facts.runId });
      const waiting = items.filter(waitsForBoundary);
      const events = waiting.map(({ itemId }) =>
        inSession(session, { type: 'delivered', data: { itemId, how: 'inject', ...facts } }),
      );
      return { events, answer: waiting.map(itemRecord) };
    });
  }

  async modelMessage(step: Step<'model_message'>): Promise<void> {
    await this.#append('model_message', step);
  }

  /** Called before the tool runs: a call in the journal without a result may have happened. */
  async toolCall(step: Step<'tool_call'>): Promise<void> {
    await this.#append('tool_call', step);
    this.activity?.callBegan(step.callId);
  }

  async toolResult(step: Step<'tool_result'>): Promise<void> {
    this.activity?.callEnded(step.callId);
    await this.#append('tool_result', step);
  }

  async note(code: string, text: string): Promise<void> {
    await this.#append('note', { code, text });
  }

  /** Stores a note in the memory of the run; throws `limit_reached` if it is full. */
  remember(text: string): Promise<string> {
    const { context } = this;
    return this.#write(function* (session, facts) {
      const { events, noteId } = yield* keepNote(context, session, facts, text);
      return { events, answer: noteId };
    });
  }

  /** Deletes a note from the memory of the run; throws `note_not_found`. */
  async forget(noteId: string): Promise<void> {
    const { context } = this;
    await this.#write(function* (session, { memoryScope }) {
      const { responsibleId } = session;
      const memoryId = memoryIdOf(context.secrets, responsibleId, memoryScope.namespace);
      const memory = yield* findMemory.first({ memoryId });
      if (!memory || !(yield* findNote.first({ topicId: memory.topicId, noteId })))
        throw new StoaError('note_not_found', `There is no note ${noteId} here`);
      const event = { type: 'note_deleted' as const, data: { noteId } };
      return written([{ topic: memoryTopic(memoryId), event }]);
    });
  }

  async contextGiven(step: Step<'context_given'>): Promise<void> {
    await this.#append('context_given', step);
  }

  async compacted(step: Step<'compacted'>): Promise<void> {
    await this.#append('compacted', step);
  }

  async usage(
    usage: Usage,
    by: { readonly provider?: string; readonly model?: string },
  ): Promise<void> {
    await this.#append('usage_reported', { usage, ...by });
  }

  /** Emits an output. The last output is published when the run ends. */
  async emitOutput(items: readonly EmittedItem[]): Promise<void> {
    await this.#write(function* (session, facts) {
      const stored: StoredItem[] = [];
      for (const item of items) {
        if (item.type !== 'board_reference') stored.push(item);
        else {
          const assetId = yield* assetOfBoard(`session:${session.sessionId}`, item);
          stored.push({ type: 'asset_reference', assetId });
        }
      }
      const data = { items: stored, ...facts };
      return written([inSession(session, { type: 'output_emitted', data })]);
    });
  }

  /**
   * Asks people about a call, once: a resumed run finds the question it asked before, with its answer if there is one.
   */
  requestApproval(asked: NewApproval): Promise<Approval> {
    const { context, claim } = this;
    return this.#write((session, facts, at) =>
      askPeople(context, session, facts, requestedIn(claim), asked, at),
    );
  }

  /** Ends the run. Returns false if it has already ended. */
  async end(end: RunEnd): Promise<boolean> {
    const { context } = this;
    try {
      return await this.#write(function* (session, facts) {
        const events = yield* endRun(context, session, facts.runId, end);
        return { events, answer: events.length > 0 };
      }, this.claim.origin.channelId);
    } catch (error) {
      if (isFenced(error)) return false;
      throw error;
    }
  }

  /** The last emitted output, if any. */
  emitted(): Promise<readonly StoredItem[] | undefined> {
    const { runId } = this.claim;
    const read = () =>
      this.context.store.read(function* () {
        const run = yield* findRunRow.first({ runId });
        if (!run || run.outputSeq === null) return undefined;
        const event = yield* findEvent.first({ topicId: run.topicId, seq: run.outputSeq });
        return event && dataOf('output_emitted', event).items;
      });
    return this.context.storeWait.run(read, this.signal);
  }

  /** The number of characters that the run wrote in its last messages. */
  writtenChars(): Promise<number> {
    const { runId } = this.claim;
    return this.context.store.read(function* () {
      const run = yield* findRunRow.first({ runId });
      if (!run) return 0;
      const { topicId, seq: after } = run;
      const page = { topicId, type: 'model_message', after, before: Number.MAX_SAFE_INTEGER };
      let chars = 0;
      for (const { body } of yield* listEventsOfTypeBefore.all({
        ...page,
        limit: COUNTED_MESSAGES,
      })) {
        const { runId: of, parts } = dataOf('model_message', { body });
        if (of !== runId) continue;
        for (const part of parts) if (part.type === 'text') chars += part.text.trim().length;
      }
      return chars;
    });
  }

  async #append<T extends SessionEvent['type']>(type: T, step: Step<T>): Promise<void> {
    await this.#write((session, facts) => {
      const event = { type, data: { ...step, ...facts } } as unknown as SessionEvent;
      return written([inSession(session, event)]);
    });
  }

  /** A write that affects a channel locks it before the session, as a post does, which avoids deadlocks. */
  async #write<R>(
    decide: (session: OpenSession, facts: RunFacts, at: number) => Tx<Written<R>> | Written<R>,
    channelId?: string,
  ): Promise<R> {
    const { sessionId } = this.claim.session;
    const { claim, signal } = this;
    const { epoch, runId } = claim;
    const { clock, log, storeWait } = this.context;
    const noteOf = this.#noteOfWait(clock.now());
    return log.write({
      actor: `session:${sessionId}`,
      lane: sessionTopic(sessionId),
      wait: { store: storeWait, signal },
      *open() {
        yield* lockChannelOf({ channelId });
        const session = yield* sessionToServe(sessionId);
        assertFence(session, epoch, runId);
        return session;
      },
      *decide(session, at): Tx<Decision<R>> {
        const decided = decide(session, factsOf(session, runId, claim), at);
        const { events, answer } = 'next' in decided ? yield* decided : decided;
        const note = events.length === 0 ? undefined : noteOf(at);
        if (note === undefined) return { events, answer: () => answer };
        const data = { code: STORE_WAIT, text: note, ...factsOf(session, runId, claim) };
        const noted = inSession(session, { type: 'note', data });
        return { events: [noted, ...events], answer: () => answer };
      },
    });
  }

  /** The note about the wait of one write. Of several writes that waited at the same time, one is noted. */
  #noteOfWait(begun: number): (at: number) => string | undefined {
    const by = Symbol('write');
    return (at) => {
      const isNoted = this.#noted && this.#noted.by !== by && begun <= this.#noted.at;
      if (at - begun < NOTED_WAIT_MS || isNoted) return undefined;
      this.#noted = { by, at };
      const seconds = Math.round((at - begun) / 1_000);
      return `The store took nothing for ${String(seconds)} s. The run waited and goes on.`;
    };
  }
}

const STORE_WAIT = 'store_wait';
/** A shorter wait is not worth a note. */
const NOTED_WAIT_MS = 1_000;

interface Written<R> {
  readonly events: readonly NewEvent[];
  readonly answer: R;
}

const written = (events: readonly NewEvent[]): Written<void> => ({ events, answer: undefined });

function assertFence(session: OpenSession, epoch: number, runId: string): void {
  if (session.epoch !== epoch) {
    throw new StoaError('ownership_lost', `${session.sessionId} belongs to another daemon now`);
  }
  if (session.activeRunId !== runId) throw new StoaError('run_ended', `${runId} has ended`);
}

/** The run ended, or another daemon owns it. */
export function isFenced(error: unknown): boolean {
  return (
    error instanceof StoaError && (error.code === 'ownership_lost' || error.code === 'run_ended')
  );
}
