import { setTimeout as pause } from 'node:timers/promises';
import type { Approval, Task } from '@stoa/protocol';
import type { Context } from '../context.js';
import type { OpenApprovals } from './open-approvals.js';

const POLL_MS = 1_000;
const MANY = 100;
/** How many sessions are looked into, the nearest first: a person has ten agents at work at once. */
const SESSIONS = 50;

/** The tasks of a session that go on. */
type TasksOf = (sessionId: string) => Promise<readonly Task[]>;

/**
 * What tasks ask that work in sessions of their own, and what the tasks of those ask. Those sessions tell of
 * it, and the one that is followed does not: so it is looked for every so often.
 */
export class TaskApprovals {
  private readonly asked = new Set<string>();

  constructor(
    private readonly context: Context,
    private readonly open: Pick<OpenApprovals, 'ask' | 'settled'>,
  ) {}

  /** Does not reject: the follower of the session reports that the daemon is unreachable. */
  async pollUntil(signal: AbortSignal, sessionId: string, tasksOf: TasksOf): Promise<void> {
    while (!signal.aborted) {
      await this.look(signal, sessionId, tasksOf).catch(() => undefined);
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(signal: AbortSignal, above: string, tasksOf: TasksOf): Promise<void> {
    const found: Approval[] = [];
    const sessionIds = new Set([above]);
    // What is added on the way is come to, too.
    for (const looked of sessionIds) {
      for (const { status, pendingApprovals, detail } of await tasksOf(looked)) {
        const { sessionId } = detail;
        if (status !== 'running' || typeof sessionId !== 'string') continue;
        if (sessionIds.has(sessionId) || sessionIds.size > SESSIONS) continue;
        sessionIds.add(sessionId);
        if (pendingApprovals === 0) continue;
        const query = { sessionId, state: 'pending', limit: MANY } as const;
        found.push(...(await this.context.client.approvals.list(query, { signal })).approvals);
      }
    }
    const pending = new Set(found.map(({ approvalId }) => approvalId));
    for (const approvalId of this.asked) {
      if (!pending.has(approvalId)) this.open.settled(approvalId);
    }
    for (const approval of found) {
      if (signal.aborted) return;
      if (this.asked.has(approval.approvalId)) continue;
      this.asked.add(approval.approvalId);
      this.open.ask(approval);
    }
  }
}
