import type { Approval } from '@stoa/protocol';
import type { Context } from '../context.js';
import { OpenApprovals } from './open-approvals.js';
import type { Outcome } from './outcome.js';
import { RunTerminal } from './run-terminal.js';
import type { RunStep } from './run-view.js';

export interface RunStepsOptions {
  /** How long an approval may stay open; `false`: not at all, undefined: until it is settled. */
  readonly wait: number | false | undefined;
  readonly giveUp: (approvals: readonly Approval[]) => void;
}

/** Does at the terminal what is to be done about a run; with `--json` only about its approvals. */
export class RunSteps {
  readonly terminal: RunTerminal;
  readonly approvals: OpenApprovals;

  constructor(
    private readonly context: Context,
    options: RunStepsOptions,
  ) {
    this.terminal = new RunTerminal(context);
    const breakLine = (): void => this.terminal.breakLine();
    this.approvals = new OpenApprovals(context, { ...options, breakLine });
  }

  perform(step: RunStep, ended: (outcome: Outcome) => void): void {
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
        ended(step.outcome);
        break;
    }
  }

  close(): void {
    this.approvals.close();
    if (!this.context.flags.json) this.terminal.close();
  }
}
