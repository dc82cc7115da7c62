import { setTimeout as pause } from 'node:timers/promises';
import type { Approval, Task } from '@stoa/protocol';
import type { Context } from '../context.js';
import type { OpenApprovals } from './open-approvals.js';

const LOOK_MS = 1_000;
const MANY = 100;

/**
 * What tasks ask that work in sessions of their own. Those sessions tell of it, and the one that is followed
 * does not: so it is looked for every so often.
 */
export class TaskApprovals {
  private readonly asked = new Set<string>();

  constructor(
    private readonly context: Context,
    private readonly open: Pick<OpenApprovals, 'ask' | 'settled'>,
  ) {}

  /** Does not reject: who follows the session is told that the daemon is away. */
  async lookUntil(signal: AbortSignal, tasks: () => Promise<readonly Task[]>): Promise<void> {
    while (!signal.aborted) {
      await tasks()
        .then((live) => this.look(live, signal))
        .catch(() => undefined);
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(live: readonly Task[], signal: AbortSignal): Promise<void> {
    const found: Approval[] = [];
    for (const { pendingApprovals, detail } of live) {
      const { sessionId } = detail;
      if (pendingApprovals === 0 || typeof sessionId !== 'string') continue;
      const query = { sessionId, state: 'pending', limit: MANY } as const;
      found.push(...(await this.context.client.approvals.list(query, { signal })).approvals);
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
