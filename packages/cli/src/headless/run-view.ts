import type { SessionItem } from '@stoa/client';
import type { Approval, Stamped } from '@stoa/protocol';
import { bodyOf } from '../terminal/message-text.js';
import { sessionEventText } from '../terminal/session-event-text.js';
import { type Outcome, outcomeOfEvent } from './outcome.js';
import { SpokenText } from './spoken-text.js';

/** What `stoa run` has to do about something that happened. */
export type RunStep =
  /** Words of the agent, to be written as they are. */
  | { readonly type: 'text'; readonly text: string }
  /** One line about what it does. */
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'ask'; readonly approval: Approval }
  | { readonly type: 'settled'; readonly approvalId: string }
  | { readonly type: 'end'; readonly outcome: Outcome };

/**
 * Watches one inbox item from its acceptance to the end of the run that took it. An item may move to
 * another run (`requeued`); then that one is watched, and the end of the first is not ours.
 */
export class RunView {
  private readonly spoken = new SpokenText();
  /** Everything that was written, to tell whether the output is in it. */
  private written = '';

  constructor(
    private readonly itemId: string,
    private runId_: string,
  ) {}

  get runId(): string {
    return this.runId_;
  }

  take(item: SessionItem): RunStep[] {
    if (item.type === 'gap') return [];
    if (item.type === 'text_chunk') {
      return item.runId === this.runId_ ? this.write(this.spoken.chunk(item)) : [];
    }
    if (item.type === 'requeued' && item.data.itemId === this.itemId) {
      this.runId_ = item.data.runId;
      return this.line(item);
    }
    return runIdOf(item) === this.runId_ ? this.event(item) : [];
  }

  private event(event: Stamped): RunStep[] {
    const outcome = outcomeOfEvent(event);
    if (outcome) return this.end(outcome);
    switch (event.type) {
      case 'model_message':
        return this.write(this.spoken.message(event));
      case 'output_emitted':
        return [...this.write(this.spoken.close()), ...this.unwritten(bodyOf(event.data.items))];
      case 'waiting_approval':
        return [...this.line(event), { type: 'ask', approval: event.data.approval }];
      case 'approval_settled':
        return [{ type: 'settled', approvalId: event.data.approvalId }, ...this.line(event)];
      default:
        return this.line(event);
    }
  }

  private end(outcome: Outcome): RunStep[] {
    const rest = outcome.type === 'completed' ? this.unwritten(bodyOf(outcome.output)) : [];
    return [...this.write(this.spoken.close()), ...rest, { type: 'end', outcome }];
  }

  /** What a run says in the end is often what it wrote last. */
  private unwritten(text: string): RunStep[] {
    const isWritten = squashed(this.written).includes(squashed(text));
    return isWritten ? [] : this.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  private write(text: string): RunStep[] {
    if (text === '') return [];
    this.written += text;
    return [{ type: 'text', text }];
  }

  private line(event: Stamped): RunStep[] {
    const text = sessionEventText(event);
    return text === undefined ? [] : [{ type: 'line', text }];
  }
}

/** Several messages in one output may be parted by other blanks than they were written with. */
function squashed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function runIdOf(event: Stamped): string | undefined {
  return 'runId' in event.data ? event.data.runId : undefined;
}
