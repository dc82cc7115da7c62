import type { TranscriptEntry } from '@stoa/core';
import { boundaryNote } from '../boundary-note.js';
import { toolResultForModel } from '../envelope.js';
import { failingStreaks, STREAK_TOLD } from './failing-streaks.js';
import { type FindAsset, type Input, inputParts } from './input-message.js';
import type { ModelMessage } from './model-client.js';

type Entry<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;

export interface ConversationPorts {
  readonly findAsset: FindAsset;
  readonly takesImages: boolean;
}

const ENDED: Readonly<Record<Entry<'end'>['how'], string | undefined>> = {
  completed: undefined,
  failed: 'The work on what was asked before failed at this point.',
  cancelled: 'The work on what was asked before was cancelled at this point.',
  interrupted: 'The work on what was asked before was interrupted at this point.',
};

/**
 * What a model is shown of a transcript. The same entries give the same messages, byte for byte, and
 * more entries only add to them: so what a provider has cached stays valid.
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
  /** What is being asked at once. */
  #asked: { runId: string; inputs: Input[] } | undefined;
  /** Calls that still need their results, and what came before these did. */
  #awaited = new Set<string>();
  #results: Extract<ModelMessage, { role: 'tool' }>['results'][number][] = [];
  #meanwhile: Entry<'input'>[] = [];

  constructor(
    entries: readonly TranscriptEntry[],
    private readonly ports: ConversationPorts,
  ) {
    this.#streaks = failingStreaks(entries);
  }

  async add(entry: TranscriptEntry): Promise<void> {
    switch (entry.type) {
      case 'summary':
        this.#tell(`What happened so far, as you summed it up:\n\n${entry.text}`);
        return;
      case 'context':
        await this.#flush();
        this.#tell(boundaryNote(entry.context));
        return;
      case 'input':
        if (this.#awaited.size > 0) this.#meanwhile.push(entry);
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
          if (part.type === 'tool_call') this.#awaited.add(part.callId);
        return;
      case 'tool_result':
        await this.#result(entry);
        return;
      case 'end': {
        await this.#flush();
        const told = ENDED[entry.how];
        if (told !== undefined) this.#tell(`[Stoa: ${told}]`);
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
    if (!this.#awaited.delete(entry.callId)) return;
    const { callId, tool, outcome } = entry;
    const streak = this.#streaks.get(callId) ?? 0;
    const warning =
      streak < STREAK_TOLD
        ? ''
        : `\n\nThis same call has failed ${String(streak)} times in a row. Do something else.`;
    this.#results.push({
      callId,
      tool,
      output: toolResultForModel(entry) + warning,
      isError: outcome === 'error' || outcome === 'denied',
    });
    if (this.#awaited.size > 0) return;
    this.#messages.push({ role: 'tool', results: this.#inOrder() });
    this.#results = [];
    for (const { input, runId } of this.#meanwhile.splice(0)) await this.ask(input, runId);
  }

  /** As they were called, whichever was done first. */
  #inOrder() {
    const calls = this.#messages.findLast(({ role }) => role === 'assistant');
    const order = calls?.role === 'assistant' ? calls.parts : [];
    const place = new Map(
      order.map((part, index) => [part.type === 'tool_call' ? part.callId : '', index]),
    );
    return this.#results.toSorted(
      (a, b) => (place.get(a.callId) ?? 0) - (place.get(b.callId) ?? 0),
    );
  }

  async #flush(): Promise<void> {
    if (!this.#asked) return;
    const { inputs } = this.#asked;
    this.#asked = undefined;
    const { findAsset, takesImages } = this.ports;
    this.#messages.push({ role: 'user', parts: await inputParts(inputs, findAsset, takesImages) });
  }

  #tell(text: string): void {
    this.#messages.push({ role: 'user', parts: [{ type: 'text', text }] });
  }
}
