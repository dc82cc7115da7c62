import type { SessionItem } from '@stoa/client';
import type { InboxItem } from '@stoa/protocol';
import type { Context } from '../context.js';
import { explain } from '../failure.js';
import { connectionNotices } from '../terminal/connection-notices.js';
import { printableJson } from '../terminal/printable.js';
import { type Outcome, outcomeOfRun } from './outcome.js';
import { RunSteps } from './run-steps.js';
import { RunView } from './run-view.js';

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
  private readonly steps: RunSteps;
  private readonly stop = new AbortController();
  private outcome: Outcome | undefined;
  private isCancelling = false;
  private seq: number;
  private forget: () => void = () => undefined;

  constructor(
    private readonly context: Context,
    private readonly item: InboxItem,
    private readonly options: WatchOptions,
  ) {
    this.seq = options.after;
    this.view = new RunView(item.itemId, item.runId);
    this.steps = new RunSteps(context, {
      wait: options.wait,
      giveUp: (approvals) => {
        const approvalIds = approvals.map(({ approvalId }) => approvalId);
        this.outcome ??= { type: 'needs_approval', approvalIds };
        this.stop.abort();
      },
    });
  }

  /** Of what was shown. */
  get lastSeq(): number {
    return this.seq;
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
        if ('seq' in item) this.seq = item.seq;
        await this.take(item);
        if (this.outcome) break;
      }
    } finally {
      this.forget();
      this.steps.close();
    }
    return this.outcome ?? { type: 'left' };
  }

  private async take(item: SessionItem): Promise<void> {
    if (this.context.flags.json) this.context.line(printableJson(item));
    // What is missing may have been the end.
    if (item.type === 'gap') {
      this.outcome = outcomeOfRun(await this.context.client.runs.get(this.runId));
    }
    for (const step of this.view.take(item)) {
      this.steps.perform(step, (outcome) => {
        this.outcome = outcome;
      });
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
      this.steps.approvals.close();
      this.steps.terminal.breakLine();
      this.context.say('cancelling; press Ctrl-C again to leave immediately');
      this.context.client.runs.cancel(this.runId).catch((error: unknown) => {
        this.context.say(`it could not be cancelled: ${explain(error, undefined).what}`);
      });
    });
  }
}
