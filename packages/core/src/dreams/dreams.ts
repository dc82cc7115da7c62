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
  type DreamTarget,
  forceGates,
  gateKeyOf,
  gateStatus,
  holdsLease,
  lastOccasion,
  noteVisit,
  type Occasion,
  releaseLease,
  storeCheck,
  storeDreamt,
  tryGates,
} from './dream-store.js';
import type { Dreamer } from './dreamer.js';
import type { DreamRules } from './gates.js';

export interface DreamPorts {
  readonly sessions: SessionContext;
  readonly tasks: Pick<Tasks, 'create' | 'change' | 'settle'>;
  readonly timers: Timers;
  readonly rules: DreamRules;
  readonly dreamer: Dreamer;
  /** Counts the outcome and duration of each dream. */
  readonly counted: (outcome: DreamOutcome, milliseconds: number) => void;
}

const DREAM_MS = 5 * 60_000;
/** Longer than a dream, so that a dream can release its lease. */
const LEASE_MS = DREAM_MS + 60_000;

/**
 * Tidies memories in the background. After a run the gates are checked; if all are open, the lease is taken, the task is
 * committed and the dream begins. It ends in one of these ways:
 *
 *   completed   its files are written, the gate has the time, and notes that are now in files are deleted. A failure of one
 *               of these steps, or of releasing the lease, is a warning
 *   cancelled   a person stopped it, the memory was erased, or the daemon stops: nothing was written, the gate is unchanged
 *   failed      the model failed or took too long: the same. Or the files could not be written: the gate is unchanged, no
 *               note is deleted, and some files may have been written
 *   lost        the daemon was killed: the gate is unchanged, and its end states whether files may have been written
 */
export class Dreams {
  readonly #runs = new Map<string, DreamRun>();
  #isClosed = false;

  constructor(private readonly ports: DreamPorts) {}

  /** The operations of the task registry on dreams. */
  readonly executor: TaskExecutor = {
    stop: async (task) => {
      const run = this.#runs.get(task.taskId);
      if (!run) return this.#endOrphan(task, { status: 'cancelled', end: { cause: 'stopped' } });
      run.stop('stopped');
      await run.done;
    },
    reattach: async (task) => {
      if (this.#runs.has(task.taskId)) return;
      const message = `The daemon ended while it was at work; ${whatWasWritten(task)}`;
      await this.#endOrphan(task, { status: 'lost', end: { cause: 'crashed', message } });
    },
  };

  /** A run used this memory: starts a dream if one is due. Returns why none was started. */
  async check(target: DreamTarget, occasion: Occasion): Promise<DreamRefusal | undefined> {
    const { sessions, rules, dreamer } = this.ports;
    if (!rules.isEnabled || this.#isClosed) return DISABLED;
    const modelProblem = await dreamer.modelProblem();
    const now = sessions.clock.now();
    const holder = sessions.ids.next('tsk');
    const { sessionId } = occasion;
    const refusal = await sessions.store.transact(function* () {
      yield* noteVisit(target, { ...occasion, at: now });
      return yield* tryGates(
        rules,
        target,
        { now, modelProblem, sessionId },
        { holder, ms: LEASE_MS },
      );
    });
    if (!refusal) await this.#begin(target, occasion, holder);
    return refusal;
  }

  /** Starts a dream for a person. Throws `dream_refused`. */
  async start(by: Principal, memoryId: string, part: MemoryPart): Promise<Task> {
    const { sessions, dreamer } = this.ports;
    const memory = await sessions.store.read(() => memoryOf(by, memoryId));
    const target: DreamTarget = { ...targetOf(memory), part };
    const modelProblem = await dreamer.modelProblem();
    if (modelProblem !== undefined)
      throw new StoaError('dream_refused', `no_model: ${modelProblem}`);
    const occasion = await sessions.store.read(() => lastOccasion(target, memory.topicId));
    if (!occasion)
      throw new StoaError('dream_refused', 'not_started: no session has used this memory yet');
    const holder = sessions.ids.next('tsk');
    const now = sessions.clock.now();
    const refusal = await sessions.store.transact(() =>
      forceGates(target, now, { holder, ms: LEASE_MS }),
    );
    if (refusal) throw new StoaError('dream_refused', `${refusal.gate}: ${refusal.reason}`);
    return this.#begin(target, occasion, holder);
  }

  async status(by: Principal, memoryId: string): Promise<DreamStatus[]> {
    const { sessions, rules, dreamer } = this.ports;
    const modelProblem = rules.isEnabled ? await dreamer.modelProblem() : undefined;
    const now = sessions.clock.now();
    return sessions.store.read(function* () {
      const memory = targetOf(yield* memoryOf(by, memoryId));
      const all: DreamStatus[] = [];
      for (const part of ['shared', 'isolated'] as const) {
        const found = yield* gateStatus(rules, { ...memory, part }, { now, modelProblem });
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
   * Erased notes must not come back through a dream: active dreams lose their lease, and later dreams do not read the runs
   * in which the notes were learnt.
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

  async #begin(target: DreamTarget, occasion: Occasion, taskId: string): Promise<Task> {
    const { tasks, sessions } = this.ports;
    const { namespace, memoryId, part } = target;
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
      run.done = this.#carryOut(run, target, occasion).finally(() => this.#runs.delete(taskId));
      return task;
    } catch (error) {
      const reason = error instanceof StoaError ? error.message : 'the task could not be created';
      const refusal = { gate: 'not_started' as const, reason };
      await sessions.store.transact(function* () {
        yield* releaseLease(target, taskId);
        yield* storeCheck(gateKeyOf(target), sessions.clock.now(), refusal, null);
      });
      throw error;
    }
  }

  /** Never throws, so the task always gets an end. */
  async #carryOut(run: DreamRun, target: DreamTarget, occasion: Occasion): Promise<void> {
    const { sessions, timers, counted } = this.ports;
    const startedAt = sessions.clock.now();
    const cancelTimer = timers.after(DREAM_MS, () => {
      run.stop('timeout');
    });
    let outcome: DreamOutcome = 'completed';
    let end: TaskEnd = { cause: 'finished' };
    let written: string[] = [];
    try {
      const draft = await this.#dream(run, target, occasion);
      written = await this.#store(run, target, draft, startedAt);
    } catch (error) {
      ({ outcome, end } = endOf(run, error));
      if (outcome === 'failed') sessions.diagnose('a dream failed', { taskId: run.taskId, error });
    }
    cancelTimer();
    await this.#attempt(run, 'the lease could not be released', () =>
      sessions.store.transact(() => releaseLease(target, run.taskId)),
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

  async #dream(run: DreamRun, target: DreamTarget, occasion: Occasion): Promise<DraftFolder> {
    const { sessions, dreamer } = this.ports;
    const directory = memoryDirectory(target, target.part);
    const folder = await sessions.memory.files.read(directory);
    for (const { name, problem } of folder.problems) run.warnings.push(`${name}: ${problem}`);
    const draft = new DraftFolder(folder);
    run.begin(draft);
    const material: DreamMaterial = await dreamMaterial(sessions.store, target);
    const { notes, sessions: reviewed } = material;
    run.show('reviewing', { sessions: reviewed.length, notes: notes.length });
    run.abort.signal.throwIfAborted();
    const known = new Set(notes.map(({ noteId }) => noteId));
    await dreamer.dream({
      namespace: target.namespace,
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

  /** Writes the files. Failures after that are warnings. */
  async #store(
    run: DreamRun,
    target: DreamTarget,
    draft: DraftFolder,
    startedAt: number,
  ): Promise<string[]> {
    const { sessions } = this.ports;
    const { store, memory } = sessions;
    run.show('storing');
    const isOurs = (): Promise<boolean> => store.read(() => holdsLease(target, run.taskId));
    if (!(await isOurs())) run.stop('erased');
    run.abort.signal.throwIfAborted();
    // If it is interrupted from here on, its phase shows that it may have written files.
    await run.shown();
    const directory = memoryDirectory(target, target.part);
    run.isStoring = true;
    const applied = await draft
      .apply(memory.files, directory)
      .catch((error: unknown) => ({ error }));
    if (!(await isOurs())) {
      // The memory was erased during the write: remove what came from it.
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
      await this.#attempt(run, 'notes that are now in files could not be deleted', () =>
        this.#fold(run, target),
      );
    else this.#keepNotes(run, unwritten);
    await this.#attempt(run, 'its time could not be stored, so the next dream may start soon', () =>
      store.transact(() => storeDreamt(target, startedAt, sessions.clock.now())),
    );
    return written;
  }

  /** A folded note may belong to a file that was not written, so all notes are kept. */
  #keepNotes(run: DreamRun, unwritten: readonly string[]): void {
    if (run.folded.size > 0 && unwritten.length > 0) {
      run.warnings.push('notes were kept, because some files could not be written');
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

  /** Deletes the notes that are now in files. Opens the memory if it has no notes yet. */
  async #fold({ folded }: DreamRun, target: DreamTarget): Promise<void> {
    const topic = memoryTopic(target.memoryId);
    await this.ports.sessions.log.write({
      actor: 'system',
      lane: topic,
      *open() {
        return yield* openedMemory(target);
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

  /** Ends a dream that no process executes. */
  async #endOrphan(task: Task, settlement: Settlement): Promise<void> {
    const { memoryId, namespace, part } = task.detail as Partial<DreamTarget>;
    if (memoryId !== undefined && namespace !== undefined && part !== undefined) {
      const target = { memoryId, namespace, part, ownerId: task.responsibleId };
      await this.ports.sessions.store.transact(() => releaseLease(target, task.taskId));
    }
    await this.#settle(task.taskId, settlement);
  }

  /** Nobody asked for a dream, so its end wakes no session. */
  async #settle(taskId: string, settlement: Settlement): Promise<void> {
    try {
      await this.ports.tasks.settle(taskId, { ...settlement, isReported: true });
    } catch (error) {
      this.ports.sessions.diagnose('the end of a dream could not be stored', { taskId, error });
    }
  }
}

const DISABLED: DreamRefusal = { gate: 'disabled', reason: 'memory.dream.enabled is false' };
const WARNINGS_SHOWN = 20;

const targetOf = ({ memoryId, ownerId, namespace }: Omit<DreamTarget, 'part'>) => ({
  memoryId,
  ownerId,
  namespace,
});
