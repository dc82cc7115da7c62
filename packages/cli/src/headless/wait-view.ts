import type { SessionItem } from '@stoa/client';
import type { Context } from '../context.js';
import { printableJson } from '../terminal/printable.js';
import { sessionEventText } from '../terminal/session-event-text.js';
import { OpenApprovals } from './open-approvals.js';
import { RunTerminal } from './run-terminal.js';
import { type RunStep, RunView } from './run-view.js';

/** One that is cancelled is so because somebody wanted that. */
const FAILED: ReadonlySet<string> = new Set(['failed', 'interrupted']);

/** Shows the runs of a session, one after another, as `stoa run` shows its own. */
export class WaitView {
  readonly failedRuns: string[] = [];
  /** Those that nobody waits for any longer. */
  approvalIds: readonly string[] | undefined;
  private readonly terminal: RunTerminal;
  private readonly approvals: OpenApprovals;
  private readonly runs = new Map<string, RunView>();

  constructor(
    private readonly context: Context,
    wait: number | false | undefined,
    giveUp: () => void,
  ) {
    this.terminal = new RunTerminal(context);
    this.approvals = new OpenApprovals(context, {
      wait,
      breakLine: () => this.terminal.breakLine(),
      giveUp: (approvalIds) => {
        this.approvalIds ??= approvalIds;
        giveUp();
      },
    });
  }

  take(item: SessionItem): void {
    if (this.context.flags.json) this.context.line(printableJson(item));
    const runId = runIdOf(item);
    if (runId !== undefined) {
      const view = this.runs.get(runId) ?? new RunView('', runId);
      this.runs.set(runId, view);
      for (const step of view.take(item)) this.perform(step, runId);
      return;
    }
    if (item.type === 'gap' || this.context.flags.json) return;
    const text = 'data' in item ? sessionEventText(item) : undefined;
    if (text !== undefined) this.terminal.line(text);
  }

  close(): void {
    this.approvals.close();
    if (!this.context.flags.json) this.terminal.close();
  }

  private perform(step: RunStep, runId: string): void {
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
        this.runs.delete(runId);
        if (FAILED.has(step.outcome.type)) this.failedRuns.push(runId);
        break;
    }
  }
}

function runIdOf(item: SessionItem): string | undefined {
  if (item.type === 'text_chunk') return item.runId;
  return 'data' in item && 'runId' in item.data ? item.data.runId : undefined;
}
