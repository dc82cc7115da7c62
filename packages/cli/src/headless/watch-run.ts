import type { SessionItem } from '@stoa/client';
import type { Approval, InboxItem } from '@stoa/protocol';
import type { Context } from '../context.js';
import { explain } from '../failure.js';
import { howToAnswer } from '../terminal/approval-text.js';
import { connectionNotices } from '../terminal/connection-notices.js';
import { printableJson, printableLine } from '../terminal/printable.js';
import { Asker } from './asker.js';
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
  private readonly asker: Asker | undefined;
  private readonly open = new Map<string, Approval>();
  private readonly stop = new AbortController();
  private outcome: Outcome | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isCancelling = false;
  private forget: () => void = () => undefined;

  constructor(
    private readonly context: Context,
    private readonly item: InboxItem,
    private readonly options: WatchOptions,
  ) {
    this.view = new RunView(item.itemId, item.runId);
    this.terminal = new RunTerminal(context);
    const { io, flags } = context;
    const mayAsk = io.inIsTerminal && io.errIsTerminal && !flags.json && options.wait !== false;
    this.asker = mayAsk ? new Asker(context, () => this.terminal.breakLine()) : undefined;
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
      clearTimeout(this.timer);
      this.asker?.close();
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
        this.ask(step.approval);
        break;
      case 'settled':
        this.settled(step.approvalId);
        break;
      case 'end':
        this.outcome = step.outcome;
        break;
    }
  }

  private ask(approval: Approval): void {
    this.open.set(approval.approvalId, approval);
    if (this.isCancelling) return;
    const { wait } = this.options;
    if (wait === false) {
      this.giveUp();
      return;
    }
    if (wait !== undefined) this.timer ??= setTimeout(() => this.giveUp(), wait);
    if (this.asker) this.asker.ask(approval);
    else {
      this.terminal.breakLine();
      this.context.say(
        `it waits for ${approval.kind === 'question' ? 'an answer' : 'an approval'}: ${printableLine(approval.title)}`,
      );
      this.context.say(`  ${howToAnswer(approval)}`);
    }
  }

  private settled(approvalId: string): void {
    this.open.delete(approvalId);
    this.asker?.settled(approvalId);
    if (this.open.size > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private giveUp(): void {
    if (this.outcome) return;
    this.outcome = { type: 'needs_approval', approvalIds: [...this.open.keys()] };
    for (const approval of this.open.values()) {
      this.terminal.breakLine();
      this.context.say(`it needs an approval: ${printableLine(approval.title)}`);
      this.context.say(`  ${howToAnswer(approval)}`);
    }
    this.stop.abort();
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
      this.asker?.close();
      this.terminal.breakLine();
      this.context.say('cancelling; Ctrl-C again to leave at once');
      this.context.client.runs.cancel(this.runId).catch((error: unknown) => {
        this.context.say(`it could not be cancelled: ${explain(error, undefined).what}`);
      });
    });
  }
}
