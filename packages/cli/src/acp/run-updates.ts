import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { SessionItem } from '@stoa/client';
import type { RunStep } from '../headless/run-view.js';
import { RunView } from '../headless/run-view.js';
import { CallUpdates } from './call-updates.js';

/** What is to be done about something that happened in a run. */
export type TurnStep =
  | { readonly type: 'update'; readonly update: SessionUpdate }
  | Exclude<RunStep, { type: 'text' | 'line' }>;

/** Shown as calls, or asked: there is no need to tell them in words as well. */
const IN_CALLS: ReadonlySet<SessionItem['type']> = new Set([
  'tool_call',
  'tool_result',
  'waiting_approval',
  'approval_settled',
]);

/** One run as an editor is shown it, while it goes on or from its journal. */
export class RunUpdates {
  readonly calls: CallUpdates;
  private readonly view: RunView;
  /** Line ends that stand after the text: shown when more of it follows. */
  private held = '';

  constructor(itemId: string, runId: string, workspace: string) {
    this.view = new RunView(itemId, runId);
    this.calls = new CallUpdates(workspace);
  }

  get runId(): string {
    return this.view.runId;
  }

  take(item: SessionItem): TurnStep[] {
    const steps = this.view.take(item).flatMap((step) => this.step(item, step));
    return [...this.call(item), ...steps];
  }

  private call(item: SessionItem): TurnStep[] {
    const isCall =
      item.type === 'tool_call' || item.type === 'tool_result' || item.type === 'waiting_approval';
    if (!isCall || item.data.runId !== this.runId) return [];
    this.held = '';
    return [{ type: 'update', update: this.calls.of(item) }];
  }

  private step(item: SessionItem, step: RunStep): TurnStep[] {
    switch (step.type) {
      case 'text':
        return this.text(step.text);
      case 'line':
        return IN_CALLS.has(item.type) ? [] : [thought(`${step.text}\n`)];
      default:
        return [step];
    }
  }

  private text(text: string): TurnStep[] {
    const whole = this.held + text;
    const shown = whole.replace(/(?<!\n)\n+$/, '');
    this.held = whole.slice(shown.length);
    return shown === '' ? [] : [{ type: 'update', update: words('agent_message_chunk', shown) }];
  }
}

export function thought(text: string): TurnStep & { readonly type: 'update' } {
  return { type: 'update', update: words('agent_thought_chunk', text) };
}

export function words(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } };
}
