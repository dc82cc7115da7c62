import { orAborted, pause } from '../pause.js';
import { AcpFailure } from './acp-failure.js';
import { AgentProcess, type ProcessPorts } from './agent-process.js';
import type { AgentProgram } from './agent-program.js';

/** A program in use. */
export interface Lease {
  readonly process: AgentProcess;
  /** Call it after a successful prompt. */
  resetCrashes(): void;
  /** Call it once. */
  release(): void;
}

interface Slot {
  process: AgentProcess | undefined;
  starting: Promise<AgentProcess> | undefined;
  users: number;
  /** It ends as soon as it is unused. */
  isRetired: boolean;
  crashes: number;
  notBefore: number;
  cancelIdle: () => void;
}

/**
 * The running agent programs: one for each key, started at the first use. For each key:
 *
 *   none ──use──▶ starting ──▶ running ──unused for a while──▶ none
 *                    └──failed──▶ waiting ◀──crashed──┘
 *                                    └──use, once the time has passed──▶ starting
 */
export class AgentPool {
  readonly #slots = new Map<string, Slot>();
  /** Programs that are ending. */
  readonly #ending = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(private readonly ports: ProcessPorts) {}

  /** Throws AcpFailure if the program cannot be started, and the signal's reason if it aborts. */
  async use(key: string, program: AgentProgram, signal: AbortSignal): Promise<Lease> {
    const slot = this.#slotOf(key);
    slot.isRetired = false;
    slot.users += 1;
    slot.cancelIdle();
    try {
      const process = await this.#processOf(slot, program, signal);
      return {
        process,
        resetCrashes: () => {
          slot.crashes = 0;
        },
        release: () => {
          this.#release(slot);
        },
      };
    } catch (error) {
      this.#release(slot);
      throw error;
    }
  }

  /** Ends a program as soon as it is unused. */
  retire(process: AgentProcess): void {
    for (const slot of this.#slots.values()) {
      if (slot.process !== process) continue;
      slot.isRetired = true;
      if (slot.users === 0) this.#startIdling(slot);
    }
  }

  /** Ends every program; resolves when all have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const slot of this.#slots.values()) {
      slot.cancelIdle();
      const starting = slot.starting?.then((process) => process.stop()).catch(() => undefined);
      if (starting) this.#ending.add(starting);
      this.#stop(slot);
    }
    await Promise.all(this.#ending);
  }

  #slotOf(key: string): Slot {
    const known = this.#slots.get(key);
    if (known) return known;
    const slot: Slot = {
      process: undefined,
      starting: undefined,
      users: 0,
      isRetired: false,
      crashes: 0,
      notBefore: 0,
      cancelIdle: () => undefined,
    };
    this.#slots.set(key, slot);
    return slot;
  }

  async #processOf(slot: Slot, program: AgentProgram, signal: AbortSignal): Promise<AgentProcess> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#closing.signal.aborted)
        throw new AcpFailure('acp_exited', 'The daemon is stopping');
      if (slot.process) return slot.process;
      if (slot.starting) return orAborted(slot.starting, signal);
      const wait = slot.notBefore - this.ports.now();
      if (wait <= 0) {
        slot.starting = this.#start(slot, program);
        continue;
      }
      await pause(this.ports.timers, wait, signal);
    }
  }

  async #start(slot: Slot, program: AgentProgram): Promise<AgentProcess> {
    try {
      const process = await AgentProcess.start(program, this.ports, this.#closing.signal);
      slot.process = process;
      void process.ended.then((failure) => {
        if (slot.process === process) slot.process = undefined;
        if (failure) this.#crashed(slot);
        this.#waitFor(process.gone);
      });
      if (slot.users === 0) this.#startIdling(slot);
      return process;
    } catch (error) {
      const isMissing = error instanceof AcpFailure && error.code === 'acp_not_found';
      if (!isMissing) this.#crashed(slot);
      throw error;
    } finally {
      slot.starting = undefined;
    }
  }

  #crashed(slot: Slot): void {
    const { backoffMs } = this.ports.limits;
    slot.notBefore = this.ports.now() + (backoffMs[slot.crashes] ?? backoffMs.at(-1) ?? 0);
    slot.crashes += 1;
  }

  #release(slot: Slot): void {
    slot.users -= 1;
    if (slot.users === 0) this.#startIdling(slot);
  }

  #startIdling(slot: Slot): void {
    slot.cancelIdle();
    const idleMs = slot.isRetired ? 0 : this.ports.limits.idleMs;
    slot.cancelIdle = this.ports.timers.after(idleMs, () => {
      this.#stop(slot);
    });
  }

  #stop(slot: Slot): void {
    const { process } = slot;
    slot.process = undefined;
    slot.isRetired = false;
    if (process) this.#waitFor(process.stop());
  }

  #waitFor(gone: Promise<void>): void {
    const ending = gone.finally(() => {
      this.#ending.delete(ending);
    });
    this.#ending.add(ending);
  }
}
