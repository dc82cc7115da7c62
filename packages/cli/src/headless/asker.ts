import { StoaProblem } from '@stoa/client';
import type { AnswerApproval, Approval } from '@stoa/protocol';
import type { Context } from '../context.js';
import { explain } from '../failure.js';
import { howToAnswer, requestText } from '../terminal/approval-text.js';
import { printableLine } from '../terminal/printable.js';
import { type Edited, editJson, parsed } from './edit-json.js';
import { readReply, replyPrompt } from './reply.js';

/**
 * Asks the person at the terminal, one question at a time. One that is settled elsewhere while it
 * is on the screen is withdrawn; one that the person does not answer waits for somebody else.
 */
export class Asker {
  private readonly waiting: Approval[] = [];
  private asking: { readonly approvalId: string; readonly withdrawn: AbortController } | undefined;
  private isAsking = false;

  constructor(
    private readonly context: Context,
    /** Before something is written to the terminal. */
    private readonly breakLine: () => void,
  ) {}

  ask(approval: Approval): void {
    this.waiting.push(approval);
    if (!this.asking) void this.next();
  }

  settled(approvalId: string): void {
    const at = this.waiting.findIndex((approval) => approval.approvalId === approvalId);
    if (at >= 0) this.waiting.splice(at, 1);
    if (this.asking?.approvalId === approvalId) this.withdraw();
  }

  close(): void {
    this.waiting.length = 0;
    this.withdraw();
  }

  private withdraw(): void {
    // The cursor is behind a question that is no longer open.
    if (this.isAsking) this.context.io.err('\n');
    this.isAsking = false;
    this.asking?.withdrawn.abort();
  }

  private async question(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    this.isAsking = true;
    try {
      return await this.context.io.question(prompt, signal);
    } finally {
      this.isAsking = false;
    }
  }

  private async next(): Promise<void> {
    for (;;) {
      const approval = this.waiting.shift();
      if (!approval) return;
      const withdrawn = new AbortController();
      this.asking = { approvalId: approval.approvalId, withdrawn };
      try {
        this.breakLine();
        const { io, errPaint: paint } = this.context;
        io.err(`${requestText(approval, { paint, width: io.columns })}\n`);
        await this.untilDecided(approval, withdrawn.signal);
      } catch (error) {
        this.say(explain(error, undefined).what);
        this.say(`to answer later: ${howToAnswer(approval)}`);
      } finally {
        this.asking = undefined;
      }
    }
  }

  private async untilDecided(approval: Approval, signal: AbortSignal): Promise<void> {
    const isWithdrawn = (): boolean => signal.aborted;
    while (!isWithdrawn()) {
      const line = await this.question(replyPrompt(approval), signal);
      if (isWithdrawn()) return;
      if (line === undefined) {
        this.say(`still pending; to answer later: ${howToAnswer(approval)}`);
        return;
      }
      const reply = readReply(approval, line);
      if (reply.type === 'again') this.say(reply.hint);
      else if (reply.type === 'answer') {
        if (await this.settle(approval, reply.answer)) return;
      } else if (await this.edit(approval, signal)) return;
    }
  }

  /** False: it can be asked again. */
  private async edit(approval: Approval, signal: AbortSignal): Promise<boolean> {
    const edited = await this.edited(approval, signal);
    if (edited?.type === 'invalid') this.say(edited.why);
    if (edited?.type === 'unchanged') this.say('nothing was changed');
    if (edited?.type !== 'edited') return false;
    const updatedInput = edited.value as Approval['input'];
    return this.settle(approval, {
      decision: 'allow',
      scope: 'once',
      updatedInput,
      inputHash: approval.inputHash,
    });
  }

  private async edited(approval: Approval, signal: AbortSignal): Promise<Edited | undefined> {
    const { env } = this.context.io;
    const editor = env['VISUAL'] || env['EDITOR'];
    if (editor) return editJson(approval.input, editor);
    const line = await this.question('Arguments as JSON (no EDITOR is set): ', signal);
    return line === undefined || line.trim() === '' ? undefined : parsed(line);
  }

  private async settle(approval: Approval, answer: AnswerApproval): Promise<boolean> {
    const { approvals } = this.context.client;
    const { approvalId } = approval;
    try {
      switch (answer.decision) {
        case 'allow':
          await approvals.allow(approvalId, answer);
          break;
        case 'deny':
          await approvals.deny(approvalId, answer);
          break;
        case 'answer':
          await approvals.answer(approvalId, answer.answer);
          break;
      }
      return true;
    } catch (error) {
      if (!(error instanceof StoaProblem) || error.status >= 500) throw error;
      this.say(error.detail);
      for (const issue of error.issues) this.say(`${issue.path}: ${issue.message}`);
      return error.code !== 'invalid_request' && error.code !== 'input_changed';
    }
  }

  private say(text: string): void {
    this.context.say(printableLine(text));
  }
}
