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

/** What the extraction of notes from a run needs: its transcript, and the notes that exist. */
export interface ExtractionRequest {
  readonly persona: Persona;
  readonly entries: readonly TranscriptEntry[];
  readonly known: readonly string[];
  readonly signal: AbortSignal;
}

export interface Extracted {
  readonly notes: readonly string[];
  /** The problem with the answer of the model, if any. */
  readonly problem?: string;
  readonly usage: Usage;
  readonly provider: string;
  readonly model: string;
}

/** Asks a model once which facts of a run to remember; undefined if the run is not worth a request. */
export type Extractor = (request: ExtractionRequest) => Promise<Extracted | undefined>;

const TAIL_BYTES = 128 * 1024;
const KNOWN = 50;
/** If more runs end at the same time, no notes are extracted from the others. */
const AT_ONCE = 4;

/**
 * Work after a completed run: notes are extracted from it, and a dream may start. The extraction is no task: nobody waits
 * for it, it is in no list, and a failure is only diagnosed.
 */
export class AfterRuns {
  readonly #abort = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #extractions = 0;

  constructor(
    private readonly context: SessionContext,
    private readonly extractor: Extractor | undefined,
    private readonly dreams: Pick<Dreams, 'check'>,
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
    await this.#attempt('notes could not be extracted from a run', runId, async () => {
      if (this.extractor && extractsNotes) await this.#extract(claim, this.extractor);
    });
    await this.#attempt('it could not be checked whether a dream is due', runId, () => {
      const { namespace, mode } = memoryScope;
      const memoryId = memoryIdOf(this.context.secrets, ownerId, namespace);
      const part = mode === 'isolated' ? 'isolated' : 'shared';
      return this.dreams.check({ memoryId, ownerId, namespace, part }, { sessionId, runId });
    });
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
      this.context.diagnose('too many runs ended at once to extract notes from all', {
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
        this.context.diagnose('no notes could be extracted from a run', { runId, problem });
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

  /** Stores notes under the namespace of the run, without duplicates. */
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
        const known = new Set(rows.map((row) => duplicateKey(noteRecord(row).text)));
        const room = Math.min(LIMITS.extractedNotes, LIMITS.memoryNotes - rows.length);
        const kept: NewEvent[] = [];
        for (const text of texts) {
          if (kept.length >= room || known.has(duplicateKey(text))) continue;
          known.add(duplicateKey(text));
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

/** Notes with the same key are duplicates. */
const duplicateKey = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s.,;:!]+/g, ' ')
    .trim();
