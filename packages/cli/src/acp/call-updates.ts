import path from 'node:path';
import type { SessionUpdate, ToolCall, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import { argumentsInLines } from '@stoa/client';
import type { Approval, Stamped } from '@stoa/protocol';
import { fenced } from './prompt-input.js';

type EventOf<T extends Stamped['type']> = Extract<Stamped, { type: T }>;
type CallEvent = EventOf<'tool_call' | 'tool_result' | 'waiting_approval'>;

/** An approval does not say what kind of call it is about; the event of the call does, later. */
const KIND_OF_TOOL: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  glob: 'search',
  grep: 'search',
  write_file: 'edit',
  edit_file: 'edit',
  shell: 'execute',
  web_fetch: 'fetch',
};

const KINDS: Readonly<Record<EventOf<'tool_call'>['data']['kind'], ToolKind>> = {
  read: 'read',
  edit: 'edit',
  search: 'search',
  execute: 'execute',
  fetch: 'fetch',
  ask: 'other',
  speak: 'other',
  other: 'other',
};

/**
 * Tool calls as an editor is shown them.
 *
 *   asked about: pending ──allowed──▶ in_progress ──▶ completed, failed
 *   not asked about: ───────────────▶ in_progress ──▶ completed, failed
 */
export class CallUpdates {
  private readonly shown = new Set<string>();

  constructor(private readonly workspace: string) {}

  of(event: CallEvent): SessionUpdate {
    switch (event.type) {
      case 'waiting_approval': {
        const { approval } = event.data;
        return this.show({ ...this.askedAbout(approval), status: 'pending' });
      }
      case 'tool_call': {
        const { callId, tool, kind, title, input } = event.data;
        return this.show({
          toolCallId: callId,
          title,
          name: tool,
          kind: KINDS[kind],
          status: 'in_progress',
          rawInput: input,
          ...this.locations(input),
        });
      }
      case 'tool_result': {
        const { callId, tool, outcome, output } = event.data;
        return this.show({
          toolCallId: callId,
          ...(this.shown.has(callId) ? {} : { title: tool, name: tool }),
          status: outcome === 'ok' ? 'completed' : 'failed',
          rawOutput: { outcome, output },
          ...(output === '' ? {} : { content: [textContent(fenced(output))] }),
        });
      }
    }
  }

  /** The call in a request for permission, with everything that a decision depends on. */
  askedAbout({ callId, title, tool, input, detail, notes = [] }: Approval): ToolCall {
    const written = detail === undefined ? fenced(argumentsInLines(input)) : fenced(detail, 'diff');
    return {
      toolCallId: callId,
      title,
      name: tool,
      kind: KIND_OF_TOOL[tool] ?? 'other',
      rawInput: input,
      ...this.locations(input),
      // Text of the agent stays between fences; statements of the daemon are outside of them.
      content: [textContent(written), ...notes.map(textContent)],
    };
  }

  private show(call: ToolCallUpdate): SessionUpdate {
    const { toolCallId, title } = call;
    if (this.shown.has(toolCallId)) return { sessionUpdate: 'tool_call_update', ...call };
    this.shown.add(toolCallId);
    return { sessionUpdate: 'tool_call', ...(call as ToolCall), title: title ?? toolCallId };
  }

  private locations(input: unknown): Pick<ToolCall, 'locations'> {
    const file = (input as { readonly path?: unknown } | null)?.path;
    return typeof file === 'string'
      ? { locations: [{ path: path.resolve(this.workspace, file) }] }
      : {};
  }
}

function textContent(text: string): NonNullable<ToolCall['content']>[number] {
  return { type: 'content', content: { type: 'text', text } };
}
