import { isTerminalRunStatus } from '@stoa/protocol';
import { findRunRow, listLiveTasks } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { TaskContext } from '../tasks/context.js';
import { AGENT } from './agent-kind.js';

/** The agents that tool calls wait for, by run. */
export class ForegroundAgents {
  readonly #byRun = new Map<string, Set<string>>();

  add(runId: string, taskId: string): void {
    this.#byRun.set(runId, (this.#byRun.get(runId) ?? new Set()).add(taskId));
  }

  delete(runId: string, taskId: string): void {
    const tasks = this.#byRun.get(runId);
    tasks?.delete(taskId);
    if (tasks?.size === 0) this.#byRun.delete(runId);
  }

  has(runId: string, taskId: string): boolean {
    return this.#byRun.get(runId)?.has(taskId) ?? false;
  }

  get runIds(): string[] {
    return [...this.#byRun.keys()];
  }

  /** Removes and returns the agents of a run. */
  take(runId: string): string[] {
    const tasks = [...(this.#byRun.get(runId) ?? [])];
    this.#byRun.delete(runId);
    return tasks;
  }
}

interface ForegroundAgent {
  readonly taskId: string;
  readonly runId: string;
}

const PAGE = 100;

/** The agents of this daemon that a run waits for, except those that are being stopped. */
export async function listForegroundAgents(context: TaskContext): Promise<ForegroundAgent[]> {
  const { location } = context;
  const found: ForegroundAgent[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    const rows = await context.store.read(() =>
      listLiveTasks.all({ location, after: from, limit: PAGE }),
    );
    for (const { kind, entry } of rows) {
      if (kind !== AGENT.kind) continue;
      const { taskId, runId, isForeground, stopping } = decode(entry);
      if (isForeground && runId !== undefined && !stopping) found.push({ taskId, runId });
    }
    after = rows.length < PAGE ? undefined : rows.at(-1)?.taskId;
  }
  return found;
}

export async function hasRunEnded(context: TaskContext, runId: string): Promise<boolean> {
  const run = await context.store.read(() => findRunRow.first({ runId }));
  return !run || isTerminalRunStatus(run.status);
}
