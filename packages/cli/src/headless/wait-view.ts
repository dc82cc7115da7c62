import type { SessionItem } from '@stoa/client';
import type { Approval } from '@stoa/protocol';
import type { Context } from '../context.js';
import { printableJson } from '../terminal/printable.js';
import { sessionEventText } from '../terminal/session-event-text.js';
import type { OpenApprovals } from './open-approvals.js';
import { RunSteps } from './run-steps.js';
import { RunView } from './run-view.js';

/** One that is cancelled is so because somebody wanted that. */
const FAILED: ReadonlySet<string> = new Set(['failed', 'interrupted']);

/** Shows the runs of a session, one after another, as `stoa run` shows its own. */
export class WaitView {
  readonly failedRuns: string[] = [];
  /** Those that nobody waits for any longer. */
  givenUp: readonly Approval[] | undefined;
  private readonly steps: RunSteps;
  private readonly runs = new Map<string, RunView>();

  constructor(
    private readonly context: Context,
    wait: number | false | undefined,
    giveUp: () => void,
  ) {
    this.steps = new RunSteps(context, {
      wait,
      giveUp: (approvals) => {
        this.givenUp ??= approvals;
        giveUp();
      },
    });
  }

  get approvals(): OpenApprovals {
    return this.steps.approvals;
  }

  take(item: SessionItem): void {
    if (this.context.flags.json) this.context.line(printableJson(item));
    const runId = runIdOf(item);
    if (runId !== undefined) {
      const view = this.runs.get(runId) ?? new RunView('', runId);
      this.runs.set(runId, view);
      for (const step of view.take(item)) {
        this.steps.perform(step, ({ type }) => {
          this.runs.delete(runId);
          if (FAILED.has(type)) this.failedRuns.push(runId);
        });
      }
      return;
    }
    if (item.type === 'gap' || this.context.flags.json) return;
    const text = 'data' in item ? sessionEventText(item) : undefined;
    if (text !== undefined) this.steps.terminal.line(text);
  }

  close(): void {
    this.steps.close();
  }
}

function runIdOf(item: SessionItem): string | undefined {
  if (item.type === 'text_chunk') return item.runId;
  return 'data' in item && 'runId' in item.data ? item.data.runId : undefined;
}
