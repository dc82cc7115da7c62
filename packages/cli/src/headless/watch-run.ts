import type { SessionItem } from '@stoa/client';
import type { InboxItem } from '@stoa/protocol';
import type { Context } from '../context.js';
import { explain } from '../failure.js';
import { connectionNotices } from '../terminal/connection-notices.js';
import { printableJson } from '../terminal/printable.js';
import { OpenApprovals } from './open-approvals.js';
import { type Outcome, outcomeOfRun } from './outcome.js';
import { RunTerminal } from './run-terminal.js';
import { type RunStep, RunView } from './run-view.js';

export interface WatchOptions {
  /** The last sequence before the item was accepted. */
  readonly after: number;
  /** How long an approval may stay open; `false`: not at all, undefined: until it is settled. */
  readonly wait: number | false | undefined;
}

/**
 * Follows what was submitted to its end.
 *
 *   watching ──Ctrl-C──▶ cancelling ──Ctrl-C──▶ left
 *      │                     └──the run ended──▶ ended
 *      ├──the run ended──▶ ended
 *      └──an approval is open and nobody is to wait (any longer)──▶ needs_approval
 */
export class RunWatch {
  private readonly view: RunView;
  private readonly terminal: RunTerminal;
  private readonly approvals: OpenApprovals;
  private readonly stop = new AbortController();
  private outcome: Outcome | undefined;
  private isCancelling = false;
  private forget: () => void = () => undefined;

  constructor(
    private readonly context: Context,
    private readonly item: InboxItem,
    private readonly options: WatchOptions,
  ) {
    this.view = new RunView(item.itemId, item.runId);
    this.terminal = new RunTerminal(context);
    this.approvals = new OpenApprovals(context, {
      wait: options.wait,
      breakLine: () => this.terminal.breakLine(),
      giveUp: (approvalIds) => {
        this.outcome ??= { type: 'needs_approval', approvalIds };
        this.stop.abort();
      },
    });
  }

  get runId(): string {
    return this.view.runId;
  }

  async toEnd(): Promise<Outcome> {
    this.listenForInterrupt();
    try {
      const items = this.context.client.follow(`session:${this.item.sessionId}`, {
        after: this.options.after,
        signal: this.stop.signal,
        onNotice: connectionNotices(this.context),
      });
      for await (const item of items) {
        await this.take(item);
        if (this.outcome) break;
      }
    } finally {
      this.forget();
      this.approvals.close();
      if (!this.context.flags.json) this.terminal.close();
    }
    return this.outcome ?? { type: 'left' };
  }

  private async take(item: SessionItem): Promise<void> {
    if (this.context.flags.json) this.context.line(printableJson(item));
    // What is missing may have been the end.
    if (item.type === 'gap') {
      this.outcome = outcomeOfRun(await this.context.client.runs.get(this.runId));
    }
    for (const step of this.view.take(item)) this.perform(step);
  }

  private perform(step: RunStep): void {
    const { json } = this.context.flags;
    switch (step.type) {
      case 'text':
        if (!json) this.terminal.text(step.text);
        break;
      case 'line':
        if (!json) this.terminal.line(step.text);
        break;
      case 'ask':
        this.approvals.ask(step.approval);
        break;
      case 'settled':
        this.approvals.settled(step.approvalId);
        break;
      case 'end':
        this.outcome = step.outcome;
        break;
    }
  }

  private listenForInterrupt(): void {
    this.forget = this.context.io.onInterrupt(() => {
      this.forget();
      if (this.isCancelling) {
        this.stop.abort();
        return;
      }
      this.isCancelling = true;
      this.listenForInterrupt();
      this.approvals.close();
      this.terminal.breakLine();
      this.context.say('cancelling; Ctrl-C again to leave at once');
      this.context.client.runs.cancel(this.runId).catch((error: unknown) => {
        this.context.say(`it could not be cancelled: ${explain(error, undefined).what}`);
      });
    });
  }
}
