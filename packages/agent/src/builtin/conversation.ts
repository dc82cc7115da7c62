import type { TranscriptEntry } from '@stoa/core';
import { boundaryNote } from '../boundary-note.js';
import { toolResultForModel } from '../envelope.js';
import { failingStreaks, STREAK_WARNING } from './failing-streaks.js';
import { type FindAsset, type Input, inputParts } from './input-message.js';
import type { ModelMessage } from './model-client.js';

type Entry<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;

export interface ConversationPorts {
  readonly findAsset: FindAsset;
  readonly takesImages: boolean;
}

const ENDED: Readonly<Record<Entry<'end'>['how'], string | undefined>> = {
  completed: undefined,
  failed: 'The previous work failed at this point.',
  cancelled: 'The previous work was cancelled at this point.',
  interrupted: 'The previous work was interrupted at this point.',
};

/**
 * Converts a transcript to messages for a model. The same entries always give the same bytes, and further entries only append
 * messages, so that the provider's cache remains valid.
 */
export async function conversationOf(
  entries: readonly TranscriptEntry[],
  undelivered: readonly Input[],
  ports: ConversationPorts,
): Promise<ModelMessage[]> {
  const builder = new ConversationBuilder(entries, ports);
  for (const entry of entries) await builder.add(entry);
  for (const input of undelivered) await builder.ask(input, 'undelivered');
  return builder.finish();
}

class ConversationBuilder {
  readonly #messages: ModelMessage[] = [];
  readonly #streaks: ReadonlyMap<string, number>;
  /** The inputs that become one message. */
  #asked: { runId: string; inputs: Input[] } | undefined;
  /** Calls without a result. */
  #openCalls = new Set<string>();
  #results: Extract<ModelMessage, { role: 'tool' }>['results'][number][] = [];
  /** Inputs that arrived before the results. */
  #waiting: Entry<'input'>[] = [];

  constructor(
    entries: readonly TranscriptEntry[],
    private readonly ports: ConversationPorts,
  ) {
    this.#streaks = failingStreaks(entries);
  }

  async add(entry: TranscriptEntry): Promise<void> {
    switch (entry.type) {
      case 'summary':
        this.#addText(`Your summary of the conversation so far:\n\n${entry.text}`);
        return;
      case 'context':
        await this.#flush();
        this.#addText(boundaryNote(entry.context));
        return;
      case 'input':
        if (this.#openCalls.size > 0) this.#waiting.push(entry);
        else await this.ask(entry.input, entry.runId);
        return;
      case 'assistant':
        await this.#flush();
        this.#messages.push({
          role: 'assistant',
          provider: entry.provider,
          parts: entry.parts,
        });
        for (const part of entry.parts)
          if (part.type === 'tool_call') this.#openCalls.add(part.callId);
        return;
      case 'tool_result':
        await this.#result(entry);
        return;
      case 'end': {
        await this.#flush();
        const note = ENDED[entry.how];
        if (note !== undefined) this.#addText(`[Stoa: ${note}]`);
        return;
      }
    }
  }

  async ask(input: Input, runId: string): Promise<void> {
    if (this.#asked?.runId !== runId) await this.#flush();
    this.#asked ??= { runId, inputs: [] };
    this.#asked.inputs.push(input);
  }

  async finish(): Promise<ModelMessage[]> {
    await this.#flush();
    return this.#messages;
  }

  async #result(entry: Entry<'tool_result'>): Promise<void> {
    if (!this.#openCalls.delete(entry.callId)) return;
    const { callId, tool, outcome } = entry;
    const streak = this.#streaks.get(callId) ?? 0;
    const warning =
      streak < STREAK_WARNING
        ? ''
        : `\n\nThis call has failed ${String(streak)} times in a row. Do something else.`;
    this.#results.push({
      callId,
      tool,
      output: toolResultForModel(entry) + warning,
      isError: outcome === 'error' || outcome === 'denied',
    });
    if (this.#openCalls.size > 0) return;
    this.#messages.push({ role: 'tool', results: this.#orderedResults() });
    this.#results = [];
    for (const { input, runId } of this.#waiting.splice(0)) await this.ask(input, runId);
  }

  /** The results in the order of their calls. */
  #orderedResults() {
    const calls = this.#messages.findLast(({ role }) => role === 'assistant');
    const order = calls?.role === 'assistant' ? calls.parts : [];
    const position = new Map(
      order.map((part, index) => [part.type === 'tool_call' ? part.callId : '', index]),
    );
    return this.#results.toSorted(
      (a, b) => (position.get(a.callId) ?? 0) - (position.get(b.callId) ?? 0),
    );
  }

  async #flush(): Promise<void> {
    if (!this.#asked) return;
    const { inputs } = this.#asked;
    this.#asked = undefined;
    const { findAsset, takesImages } = this.ports;
    this.#messages.push({ role: 'user', parts: await inputParts(inputs, findAsset, takesImages) });
  }

  #addText(text: string): void {
    this.#messages.push({ role: 'user', parts: [{ type: 'text', text }] });
  }
}
