import { type SessionItem, StoaProblem } from '@stoa/client';
import type { AnswerApproval, Approval, InputItem, Session } from '@stoa/protocol';
import type { Context } from '../context.js';
import { explain } from '../failure.js';
import { type Outcome, outcomeOfRun } from '../headless/outcome.js';
import { howToAnswer } from '../terminal/approval-text.js';
import { connectionNotices } from '../terminal/connection-notices.js';
import { printableLine } from '../terminal/printable.js';
import type { Editor } from './editor.js';
import { answerOf, permissionOptions } from './permission.js';
import { RunUpdates, type TurnStep, thought } from './run-updates.js';

/**
 * One prompt of an editor, from the inbox to the end of the run that took it.
 *
 *   submitting ──accepted──▶ watching ──the run ended──▶ ended
 *        └─────cancel──────────┴──▶ cancelling ──the run ended, or it cannot be cancelled──▶ ended
 */
export class PromptTurn {
  private updates: RunUpdates | undefined;
  private outcome: Outcome | undefined;
  private isCancelled = false;
  private failure: unknown;
  private readonly stop = new AbortController();
  private readonly asked = new Map<string, AbortController>();

  constructor(
    private readonly context: Context,
    private readonly editor: Editor,
    private readonly session: Session,
  ) {}

  get runId(): string {
    return this.updates?.runId ?? '';
  }

  async toEnd(inputItems: InputItem[]): Promise<Outcome> {
    const { client } = this.context;
    const { sessionId, workspace } = this.session;
    const { headSeq } = await client.sessions.get(sessionId);
    const item = await client.sessions.submit(sessionId, { inputItems });
    this.updates = new RunUpdates(item.itemId, item.runId, workspace);
    if (this.isCancelled) void this.cancel();
    try {
      const items = client.follow(`session:${sessionId}`, {
        after: headSeq,
        signal: this.stop.signal,
        onNotice: connectionNotices(this.context),
      });
      for await (const each of items) {
        await this.take(each, this.updates);
        if (this.outcome) break;
      }
    } finally {
      for (const takenBack of this.asked.values()) takenBack.abort();
    }
    if (this.failure !== undefined) throw this.failure as Error;
    return this.outcome ?? { type: 'left' };
  }

  /** If the run cannot be cancelled, the editor gets the reason and does not wait. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    if (!this.updates) return;
    try {
      await this.context.client.runs.cancel(this.runId);
    } catch (error) {
      this.failure = error;
      this.stop.abort();
    }
  }

  private async take(item: SessionItem, updates: RunUpdates): Promise<void> {
    // What is missing may have been the end.
    if (item.type === 'gap') {
      this.outcome = outcomeOfRun(await this.context.client.runs.get(this.runId));
    } else if (item.type === 'session_updated' && item.data.mode !== undefined) {
      const currentModeId = item.data.mode;
      await this.editor.show({ sessionUpdate: 'current_mode_update', currentModeId });
    }
    for (const step of updates.take(item)) await this.perform(step);
  }

  private async perform(step: TurnStep): Promise<void> {
    switch (step.type) {
      case 'update':
        await this.editor.show(step.update);
        break;
      case 'ask':
        void this.ask(step.approval);
        break;
      case 'settled':
        this.asked.get(step.approvalId)?.abort();
        this.asked.delete(step.approvalId);
        break;
      case 'end':
        this.outcome = step.outcome;
        break;
    }
  }

  private async ask(approval: Approval): Promise<void> {
    const options = permissionOptions(approval);
    if (this.isCancelled || !this.updates) return;
    if (options.length === 0) return this.tellHow(approval);
    const takenBack = new AbortController();
    this.asked.set(approval.approvalId, takenBack);
    const call = this.updates.calls.askedAbout(approval);
    try {
      const answer = answerOf(approval, await this.editor.ask(call, options, takenBack.signal));
      if (answer) await this.answer(approval, answer);
      else await this.cancel();
    } catch (error) {
      if (takenBack.signal.aborted || this.stop.signal.aborted) return;
      this.context.say(
        `the editor could not ask for an approval: ${printableLine(explain(error, undefined).what)}`,
      );
      await this.tellHow(approval);
    }
  }

  private async answer({ approvalId }: Approval, answer: AnswerApproval): Promise<void> {
    const { approvals } = this.context.client;
    try {
      if (answer.decision === 'allow') await approvals.allow(approvalId, answer);
      else if (answer.decision === 'deny') await approvals.deny(approvalId);
      else await approvals.answer(approvalId, answer.answer);
    } catch (error) {
      // Somebody else answered first: their answer counts and arrives as an event.
      if (!(error instanceof StoaProblem) || error.code !== 'approval_settled') throw error;
    }
  }

  private async tellHow(approval: Approval): Promise<void> {
    const words = `\nWaiting for an answer: ${printableLine(approval.title)}\n${howToAnswer(approval)}\n`;
    await this.editor.show(thought(words).update);
  }
}
