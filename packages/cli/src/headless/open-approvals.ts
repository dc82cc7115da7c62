import type { Approval } from '@stoa/protocol';
import type { Context } from '../context.js';
import { howToAnswer } from '../terminal/approval-text.js';
import { printableLine } from '../terminal/printable.js';
import { Asker } from './asker.js';

export interface OpenApprovalsOptions {
  /** How long one may stay open; `false`: not at all, undefined: until it is settled. */
  readonly wait: number | false | undefined;
  /** Before something is written to the terminal. */
  readonly breakLine: () => void;
  /** Nobody is to wait for these any longer. */
  readonly giveUp: (approvals: readonly Approval[]) => void;
}

/**
 * The approvals that are open while somebody watches: asked where a person sits at the terminal, otherwise it
 * a hint shows how to answer them. They are abandoned when the command must not wait, or no longer.
 */
export class OpenApprovals {
  private readonly open = new Map<string, Approval>();
  private readonly asker: Asker | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly context: Context,
    private readonly options: OpenApprovalsOptions,
  ) {
    const { io, flags } = context;
    const mayAsk = io.inIsTerminal && io.errIsTerminal && !flags.json && options.wait !== false;
    this.asker = mayAsk ? new Asker(context, options.breakLine) : undefined;
  }

  ask(approval: Approval): void {
    this.open.set(approval.approvalId, approval);
    if (this.isClosed) return;
    const { wait } = this.options;
    if (wait === false) {
      this.giveUp();
      return;
    }
    if (wait !== undefined) this.timer ??= setTimeout(() => this.giveUp(), wait);
    if (this.asker) this.asker.ask(approval);
    else
      this.say(
        approval,
        `waiting for ${approval.kind === 'question' ? 'an answer' : 'an approval'}`,
      );
  }

  settled(approvalId: string): void {
    this.open.delete(approvalId);
    this.asker?.settled(approvalId);
    if (this.open.size > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Asks nothing any more. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.asker?.close();
  }

  private giveUp(): void {
    for (const approval of this.open.values()) this.say(approval, 'it needs an approval');
    this.options.giveUp([...this.open.values()]);
  }

  private say(approval: Approval, what: string): void {
    this.options.breakLine();
    this.context.say(`${what}: ${printableLine(approval.title)}`);
    this.context.say(`  ${howToAnswer(approval)}`);
  }
}
