import {
  type DreamRefusal,
  type DreamStatus,
  type MemoryPart,
  memoryTopic,
  type Principal,
  StoaError,
  sessionTopic,
  type Task,
  type TaskEnd,
  type Usage,
} from '@stoa/protocol';
import { deleteMemoryVisits, dropDreamLeases, findNote, type Tx } from '@stoa/store';
import { decodeValue } from '../kernel/codec.js';
import type { Decision } from '../kernel/log.js';
import { memoryDirectory } from '../memory/memory-files.js';
import { memoryOf } from '../memory/memory-gate.js';
import { openedMemory } from '../memory/open-memory.js';
import type { Timers } from '../ports.js';
import type { SessionContext } from '../sessions/context.js';
import { inSession } from '../sessions/run-facts.js';
import { sessionToServe } from '../sessions/session-gate.js';
import type { TaskExecutor } from '../tasks/kind.js';
import type { Settlement } from '../tasks/settle-task.js';
import type { Tasks } from '../tasks/tasks.js';
import { DraftFolder } from './draft-folder.js';
import { type DreamOutcome, endOf, whatWasWritten } from './dream-end.js';
import { type DreamMaterial, dreamMaterial } from './dream-material.js';
import { DreamRun } from './dream-run.js';
import {
  type DreamPlace,
  forceGates,
  gateKeyOf,
  holdsLease,
  keepDreamt,
  keepLook,
  noteVisit,
  releaseLease,
  standing,
  tryGates,
} from './dream-store.js';
import type { Dreamer } from './dreamer.js';
import type { DreamRules } from './gates.js';
import { lastOccasion, type Occasion } from './last-occasion.js';

export interface DreamPorts {
  readonly sessions: SessionContext;
  readonly tasks: Pick<Tasks, 'create' | 'change' | 'settle'>;
  readonly timers: Timers;
  readonly rules: DreamRules;
  readonly dreamer: Dreamer;
  /** Told how each ended and how long it took. */
  readonly counted: (outcome: DreamOutcome, milliseconds: number) => void;
}

const DREAM_MS = 5 * 60_000;
/** A lease outlasts its dream by enough to let go of it. */
const LEASE_MS = DREAM_MS + 60_000;

/**
 * Puts memories in order, in the background. After a run the gates are looked at; when all are open, the lease is
 * taken, the task is committed and the dream begins. It ends in one of these ways:
 *
 *   completed   what it wrote is on the disk, the gate says when, notes that stand in files are gone. What of
 *               this, or of letting go of the lease, did not work is a warning
 *   cancelled   stopped, erased or the daemon ends: nothing was written, the gate is as it was
 *   failed      the model failed or took too long: the same. Or what it wrote could not be stored: the gate is as
 *               it was, no note is gone, and some of what it wrote may stand in files
 *   lost        the daemon was killed: the gate is as it was, and its end says whether some may stand in files
 */
export class Dreams {
  readonly #runs = new Map<string, DreamRun>();
  #isClosed = false;

  constructor(private readonly ports: DreamPorts) {}

  /** What the registry of tasks does with dreams. */
  readonly executor: TaskExecutor = {
    stop: async (task) => {
      const run = this.#runs.get(task.taskId);
      if (!run) return this.#leave(task, { status: 'cancelled', end: { cause: 'stopped' } });
      run.stop('stopped');
      await run.done;
    },
    reattach: async (task) => {
      if (this.#runs.has(task.taskId)) return;
      const message = `The daemon ended while it was at work; ${whatWasWritten(task)}`;
      await this.#leave(task, { status: 'lost', end: { cause: 'crashed', message } });
    },
  };

  /** A run ended there: it may be time. Tells why not. */
  async look(place: DreamPlace, occasion: Occasion): Promise<DreamRefusal | undefined> {
    const { sessions, rules, dreamer } = this.ports;
    if (!rules.isEnabled || this.#isClosed) return DISABLED;
    const modelProblem = await dreamer.modelProblem();
    const now = sessions.clock.now();
    const holder = sessions.ids.next('tsk');
    const { sessionId } = occasion;
    const refusal = await sessions.store.transact(function* () {
      yield* noteVisit(place, { ...occasion, at: now });
      return yield* tryGates(
        rules,
        place,
        { now, modelProblem, sessionId },
        { holder, ms: LEASE_MS },
      );
    });
    if (!refusal) await this.#begin(place, occasion, holder);
    return refusal;
  }

  /** A person wants it now. Throws `dream_refused`. */
  async start(by: Principal, memoryId: string, part: MemoryPart): Promise<Task> {
    const { sessions, dreamer } = this.ports;
    const memory = await sessions.store.read(() => memoryOf(by, memoryId));
    const place: DreamPlace = { ...placeOf(memory), part };
    const modelProblem = await dreamer.modelProblem();
    if (modelProblem !== undefined)
      throw new StoaError('dream_refused', `no_model: ${modelProblem}`);
    const occasion = await sessions.store.read(() => lastOccasion(place, memory.topicId));
    if (!occasion) throw new StoaError('dream_refused', 'not_started: no session was there yet');
    const holder = sessions.ids.next('tsk');
    const now = sessions.clock.now();
    const refusal = await sessions.store.transact(() =>
      forceGates(place, now, { holder, ms: LEASE_MS }),
    );
    if (refusal) throw new StoaError('dream_refused', `${refusal.gate}: ${refusal.reason}`);
    return this.#begin(place, occasion, holder);
  }

  async status(by: Principal, memoryId: string): Promise<DreamStatus[]> {
    const { sessions, rules, dreamer } = this.ports;
    const modelProblem = rules.isEnabled ? await dreamer.modelProblem() : undefined;
    const now = sessions.clock.now();
    return sessions.store.read(function* () {
      const memory = placeOf(yield* memoryOf(by, memoryId));
      const all: DreamStatus[] = [];
      for (const part of ['shared', 'isolated'] as const) {
        const found = yield* standing(rules, { ...memory, part }, { now, modelProblem });
        const { gate, refusal, taskId, sessionsSince } = found;
        if (part === 'isolated' && !gate) continue;
        const { dreamtAt = null, checkedAt = null } = gate ?? {};
        const last = gate?.refusal ? (decodeValue(gate.refusal) as DreamRefusal) : undefined;
        all.push({
          part,
          sessionsSince,
          ...(refusal && { refusal }),
          ...(dreamtAt !== null && { lastDreamAt: dreamtAt }),
          ...(checkedAt !== null && {
            lastCheck: { at: checkedAt, ...(last && { refusal: last }) },
          }),
          ...(taskId !== undefined && { taskId }),
        });
      }
      return all;
    });
  }

  /**
   * What is erased must not come back by a dream of it: those under way lose their lease, and those to come
   * do not look at the runs it was learnt in.
   */
  async erased(memoryId: string): Promise<void> {
    await this.ports.sessions.store.transact(function* () {
      yield* dropDreamLeases.run({ memoryId });
      const upTo = Number.MAX_SAFE_INTEGER;
      for (const part of ['shared', 'isolated'] as const) {
        yield* deleteMemoryVisits.run({ gateKey: gateKeyOf({ memoryId, part }), upTo });
      }
    });
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const run of this.#runs.values()) run.stop('shutdown');
    await this.settled();
  }

  async #begin(place: DreamPlace, occasion: Occasion, taskId: string): Promise<Task> {
    const { tasks, sessions } = this.ports;
    const { namespace, memoryId, part } = place;
    try {
      const task = await tasks.create(occasion.sessionId, {
        taskId,
        kind: 'dream',
        description: `Memory ${namespace}`,
        detail: { memoryId, namespace, part, phase: 'gathering' },
        runId: occasion.runId,
        by: 'system',
      });
      const run = new DreamRun(taskId, tasks, sessions.diagnose);
      this.#runs.set(taskId, run);
      if (this.#isClosed) run.stop('shutdown');
      run.done = this.#carryOut(run, place, occasion).finally(() => this.#runs.delete(taskId));
      return task;
    } catch (error) {
      const reason = error instanceof StoaError ? error.message : 'the task could not be kept';
      const refusal = { gate: 'not_started' as const, reason };
      await sessions.store.transact(function* () {
        yield* releaseLease(place, taskId);
        yield* keepLook(gateKeyOf(place), sessions.clock.now(), refusal, null);
      });
      throw error;
    }
  }

  /** Never throws: whatever happens, the task has an end. */
  async #carryOut(run: DreamRun, place: DreamPlace, occasion: Occasion): Promise<void> {
    const { sessions, timers, counted } = this.ports;
    const startedAt = sessions.clock.now();
    const callOff = timers.after(DREAM_MS, () => {
      run.stop('timeout');
    });
    let outcome: DreamOutcome = 'completed';
    let end: TaskEnd = { cause: 'finished' };
    let written: string[] = [];
    try {
      const draft = await this.#dream(run, place, occasion);
      written = await this.#store(run, place, draft, startedAt);
    } catch (error) {
      ({ outcome, end } = endOf(run, error));
      if (outcome === 'failed') sessions.diagnose('a dream failed', { taskId: run.taskId, error });
    }
    callOff();
    await this.#attempt(run, 'the lease could not be given back', () =>
      sessions.store.transact(() => releaseLease(place, run.taskId)),
    );
    await run.shown();
    const durationMs = Math.max(0, sessions.clock.now() - startedAt);
    counted(outcome, durationMs);
    const detail = {
      ...(outcome === 'completed' && {
        phase: 'done',
        topics: written,
        foldedNotes: run.folded.size,
      }),
      durationMs,
      ...(run.warnings.length > 0 && { warnings: run.warnings.slice(0, WARNINGS_SHOWN) }),
    };
    await this.#settle(run.taskId, { status: outcome, end, detail });
  }

  async #dream(run: DreamRun, place: DreamPlace, occasion: Occasion): Promise<DraftFolder> {
    const { sessions, dreamer } = this.ports;
    const directory = memoryDirectory(place, place.part);
    const folder = await sessions.memory.files.read(directory);
    for (const { name, problem } of folder.problems) run.warnings.push(`${name}: ${problem}`);
    const draft = new DraftFolder(folder);
    run.begin(draft);
    const material: DreamMaterial = await dreamMaterial(sessions.store, place);
    const { notes, sessions: reviewed } = material;
    run.show('reviewing', { sessions: reviewed.length, notes: notes.length });
    run.abort.signal.throwIfAborted();
    const known = new Set(notes.map(({ noteId }) => noteId));
    await dreamer.dream({
      namespace: place.namespace,
      draft,
      ...material,
      signal: run.abort.signal,
      progressed: () => {
        run.show(undefined);
      },
      fold: (noteIds) => {
        for (const noteId of noteIds) if (known.has(noteId)) run.folded.add(noteId);
      },
      spent: (usage, by) => this.#account(occasion, usage, by),
    });
    run.abort.signal.throwIfAborted();
    return draft;
  }

  /** From here on it is done: what does not work any more is a warning. */
  async #store(
    run: DreamRun,
    place: DreamPlace,
    draft: DraftFolder,
    startedAt: number,
  ): Promise<string[]> {
    const { sessions } = this.ports;
    const { store, memory } = sessions;
    run.show('storing');
    const isOurs = (): Promise<boolean> => store.read(() => holdsLease(place, run.taskId));
    if (!(await isOurs())) run.stop('erased');
    run.abort.signal.throwIfAborted();
    // Whoever finds it cut off has to know that it may have written.
    await run.shown();
    const directory = memoryDirectory(place, place.part);
    run.isStoring = true;
    const applied = await draft
      .apply(memory.files, directory)
      .catch((error: unknown) => ({ error }));
    if (!(await isOurs())) {
      // It was erased while this was written: what was written came from what is gone.
      await memory.files.clear(directory);
      run.isStoring = false;
      run.stop('erased');
      run.abort.signal.throwIfAborted();
    }
    if ('error' in applied) throw applied.error;
    run.isStoring = false;
    const { written, warnings, unwritten } = applied;
    run.warnings.push(...warnings);
    if (written.length > 0 && unwritten.length === 0)
      await this.#attempt(run, 'notes that stand in files could not be taken out', () =>
        this.#fold(run, place),
      );
    else this.#keepNotes(run, unwritten);
    await this.#attempt(
      run,
      'when it was done could not be kept, so the next one may come soon',
      () => store.transact(() => keepDreamt(place, startedAt, sessions.clock.now())),
    );
    return written;
  }

  /** What a note was folded into may be what was left alone: then it would stand nowhere. */
  #keepNotes(run: DreamRun, unwritten: readonly string[]): void {
    if (run.folded.size > 0 && unwritten.length > 0) {
      run.warnings.push('notes were kept, since not all that was written stands in files');
    }
    run.folded.clear();
  }

  async #attempt(run: DreamRun, warning: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      run.warnings.push(warning);
      this.ports.sessions.diagnose(warning, { taskId: run.taskId, error });
    }
  }

  /** Takes out the notes that stand in files now; the memory is opened for its files where no note ever was. */
  async #fold({ folded }: DreamRun, place: DreamPlace): Promise<void> {
    const topic = memoryTopic(place.memoryId);
    await this.ports.sessions.log.write({
      actor: 'system',
      lane: topic,
      *open() {
        return yield* openedMemory(place);
      },
      *decide({ memory, events }): Tx<Decision<void>> {
        const all = [...events];
        for (const noteId of folded) {
          if (!memory || !(yield* findNote.first({ topicId: memory.topicId, noteId }))) continue;
          all.push({ topic, event: { type: 'note_deleted', data: { noteId } } });
        }
        return { events: all, answer: () => undefined };
      },
    });
  }

  async #account(
    { sessionId, runId }: Occasion,
    usage: Usage,
    by: { readonly provider: string; readonly model: string },
  ): Promise<void> {
    await this.ports.sessions.log.write({
      actor: 'system',
      lane: sessionTopic(sessionId),
      open: () => sessionToServe(sessionId),
      *decide(session): Tx<Decision<void>> {
        yield* [];
        const data = { upkeep: 'dream' as const, runId, usage, ...by };
        const events = [inSession(session, { type: 'upkeep_reported', data })];
        return { events, answer: () => undefined };
      },
    });
  }

  /** One that nobody is at any more. */
  async #leave(task: Task, settlement: Settlement): Promise<void> {
    const { memoryId, namespace, part } = task.detail as Partial<DreamPlace>;
    if (memoryId !== undefined && namespace !== undefined && part !== undefined) {
      const place = { memoryId, namespace, part, ownerId: task.responsibleId };
      await this.ports.sessions.store.transact(() => releaseLease(place, task.taskId));
    }
    await this.#settle(task.taskId, settlement);
  }

  /** Nobody asked for it, so nobody's model is woken by its end. */
  async #settle(taskId: string, settlement: Settlement): Promise<void> {
    try {
      await this.ports.tasks.settle(taskId, { ...settlement, isReported: true });
    } catch (error) {
      this.ports.sessions.diagnose('the end of a dream could not be kept', { taskId, error });
    }
  }
}

const DISABLED: DreamRefusal = { gate: 'disabled', reason: 'memory.dream.enabled is false' };
const WARNINGS_SHOWN = 20;

const placeOf = ({ memoryId, ownerId, namespace }: Omit<DreamPlace, 'part'>) => ({
  memoryId,
  ownerId,
  namespace,
});
