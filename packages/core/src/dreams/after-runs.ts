import {
  driverSpec,
  LIMITS,
  memoryTopic,
  type Persona,
  sessionTopic,
  type Usage,
} from '@stoa/protocol';
import { findMemory, listNotes, type Tx } from '@stoa/store';
import type { Decision, NewEvent } from '../kernel/log.js';
import { keepNote } from '../memory/keep-note.js';
import { memoryIdOf } from '../memory/memory-id.js';
import { openedMemory } from '../memory/open-memory.js';
import { noteRecord } from '../memory/records.js';
import { viewOf } from '../memory/view.js';
import type { Claim } from '../runs/ownership.js';
import { readTranscript, type TranscriptEntry } from '../runs/transcript.js';
import type { SessionContext } from '../sessions/context.js';
import { factsOf, inSession } from '../sessions/run-facts.js';
import { sessionToServe } from '../sessions/session-gate.js';
import type { Dreams } from './dreams.js';

/** What a look back at a run is given: what was said and done in it, and what is known already. */
export interface ExtractionRequest {
  readonly persona: Persona;
  readonly entries: readonly TranscriptEntry[];
  readonly known: readonly string[];
  readonly signal: AbortSignal;
}

export interface Extracted {
  readonly notes: readonly string[];
  /** What was wrong with the answer, if something was. */
  readonly problem?: string;
  readonly usage: Usage;
  readonly provider: string;
  readonly model: string;
}

/** Asks a model once what of a run is worth remembering; undefined where it was not worth asking. */
export type Extractor = (request: ExtractionRequest) => Promise<Extracted | undefined>;

const TAIL_BYTES = 128 * 1024;
const KNOWN = 50;
/** More runs than this that end at the same time are not looked back at: it is a help, and never in the way. */
const AT_ONCE = 4;

/**
 * What happens when a run is over, beside everything else: what it taught is kept as notes, and it may be time to put
 * the memory in order. Looking back is no task: nobody waits for it, it is in no list, and when it fails, that is only
 * said in the log.
 */
export class AfterRuns {
  readonly #abort = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #extractions = 0;

  constructor(
    private readonly context: SessionContext,
    private readonly extractor: Extractor | undefined,
    private readonly dreams: Pick<Dreams, 'look'>,
  ) {}

  /** Must not throw. */
  completed(claim: Claim): void {
    if (this.#abort.signal.aborted) return;
    const working = this.#work(claim).finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#working]);
  }

  async close(): Promise<void> {
    this.#abort.abort(new Error('the daemon ends'));
    await this.settled();
  }

  async #work(claim: Claim): Promise<void> {
    const { runId, session, memoryScope } = claim;
    const { sessionId, responsibleId: ownerId } = session;
    const { extractsNotes } = driverSpec(session.persona.definition.driver.kind);
    await this.#attempt('a run could not be looked back at', runId, async () => {
      if (this.extractor && extractsNotes) await this.#extract(claim, this.extractor);
    });
    await this.#attempt(
      'it could not be seen whether a memory is to be put in order',
      runId,
      () => {
        const { namespace, mode } = memoryScope;
        const memoryId = memoryIdOf(this.context.secrets, ownerId, namespace);
        const part = mode === 'isolated' ? 'isolated' : 'shared';
        return this.dreams.look({ memoryId, ownerId, namespace, part }, { sessionId, runId });
      },
    );
  }

  async #attempt(what: string, runId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#abort.signal.aborted) this.context.diagnose(what, { runId, error });
    }
  }

  async #extract(claim: Claim, extract: Extractor): Promise<void> {
    if (this.#extractions >= AT_ONCE) {
      this.context.diagnose('too many runs ended at once to look back at all', {
        runId: claim.runId,
      });
      return;
    }
    this.#extractions += 1;
    try {
      const { runId, session, memoryScope } = claim;
      const { store } = this.context;
      const view = viewOf(memoryScope);
      const tail = { bytes: TAIL_BYTES, note: '' };
      const transcript = await readTranscript(store, session.sessionId, runId, view, tail);
      const entries = transcript.entries.filter((e) => 'runId' in e && e.runId === runId);
      const known = await store.read(() => this.#known(claim));
      const { signal } = this.#abort;
      const { persona } = session;
      const extracted = await extract({ persona, entries, known, signal });
      if (!extracted) return;
      const { notes, problem, ...spent } = extracted;
      await this.#account(claim, spent);
      if (problem !== undefined)
        this.context.diagnose('a look back at a run came to nothing', { runId, problem });
      if (notes.length > 0) await this.#keep(claim, notes);
    } finally {
      this.#extractions -= 1;
    }
  }

  *#known({ session, memoryScope }: Claim): Tx<string[]> {
    const { secrets } = this.context;
    const memoryId = memoryIdOf(secrets, session.responsibleId, memoryScope.namespace);
    const memory = yield* findMemory.first({ memoryId });
    if (!memory) return [];
    const page = { topicId: memory.topicId, isolated: 1, before: Number.MAX_SAFE_INTEGER };
    return (yield* listNotes.all({ ...page, limit: KNOWN })).map((row) => noteRecord(row).text);
  }

  /** Under the namespace of the run, and under no other, whatever stands in it. What is known is not kept twice. */
  async #keep(claim: Claim, texts: readonly string[]): Promise<void> {
    const { context } = this;
    const { session, memoryScope } = claim;
    const { namespace } = memoryScope;
    const { responsibleId: ownerId, sessionId } = session;
    const memoryId = memoryIdOf(context.secrets, ownerId, namespace);
    const facts = factsOf(session, claim.runId, claim);
    await context.log.write({
      actor: `session:${sessionId}`,
      lane: memoryTopic(memoryId),
      open: () => openedMemory({ memoryId, ownerId, namespace }),
      *decide({ memory, events: opening }): Tx<Decision<void>> {
        const before = Number.MAX_SAFE_INTEGER;
        const page = { isolated: 1, before, limit: LIMITS.memoryNotes };
        const rows = memory ? yield* listNotes.all({ topicId: memory.topicId, ...page }) : [];
        const known = new Set(rows.map((row) => sameness(noteRecord(row).text)));
        const room = Math.min(LIMITS.extractedNotes, LIMITS.memoryNotes - rows.length);
        const kept: NewEvent[] = [];
        for (const text of texts) {
          if (kept.length >= room || known.has(sameness(text))) continue;
          known.add(sameness(text));
          const { events } = yield* keepNote(context, session, facts, text, 'extracted');
          kept.push(...events.filter(({ event }) => event.type === 'note_kept'));
        }
        return { events: kept.length === 0 ? [] : [...opening, ...kept], answer: () => undefined };
      },
    });
  }

  async #account(
    { session, runId }: Claim,
    spent: Omit<Extracted, 'notes' | 'problem'>,
  ): Promise<void> {
    const { sessionId } = session;
    await this.context.log.write({
      actor: 'system',
      lane: sessionTopic(sessionId),
      open: () => sessionToServe(sessionId),
      *decide(open): Tx<Decision<void>> {
        yield* [];
        const data = { upkeep: 'extraction' as const, runId, ...spent };
        const events = [inSession(open, { type: 'upkeep_reported', data })];
        return { events, answer: () => undefined };
      },
    });
  }
}

/** Two notes that say the same in the same words are one. */
const sameness = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s.,;:!]+/g, ' ')
    .trim();
