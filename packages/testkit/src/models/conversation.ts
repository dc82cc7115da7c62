import type { JsonObject } from './json.js';

export interface SeenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface SeenResult {
  readonly id: string;
  /** Of the call that it answers; empty where there is none. */
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface Turn {
  /** A turn that only carries results is a `tool` turn on every wire. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly toolCalls: readonly SeenCall[];
  readonly toolResults: readonly SeenResult[];
}

/** What the model was shown, the same for every wire. */
export interface Conversation {
  readonly system: string;
  /** Without the system's. */
  readonly turns: readonly Turn[];
  /** The names of the tools on offer. */
  readonly tools: readonly string[];
}

/** Turns as a wire has them, before results know the names of their calls. */
export type RawTurn = Omit<Turn, 'toolResults'> & {
  readonly toolResults: readonly Omit<SeenResult, 'name'>[];
};

export function conversationOf(
  turns: readonly RawTurn[],
  tools: readonly (string | undefined)[],
): Conversation {
  const names = new Map(turns.flatMap((turn) => turn.toolCalls.map(({ id, name }) => [id, name])));
  const named = turns.map((turn) => ({
    ...turn,
    toolResults: turn.toolResults.map((result) => ({
      ...result,
      name: names.get(result.id) ?? '',
    })),
  }));
  const isSystem = (turn: Turn): boolean => turn.role === 'system';
  return {
    system: named
      .filter(isSystem)
      .map(({ text }) => text)
      .join('\n\n'),
    turns: named.filter((turn) => !isSystem(turn)),
    tools: tools.filter((name) => name !== undefined),
  };
}

/** The tool results since the last message of the model. */
export function freshResults({ turns }: Conversation): SeenResult[] {
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  return turns.slice(last + 1).flatMap(({ toolResults }) => toolResults);
}

export function lastUserText({ turns }: Conversation): string {
  return turns.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
}

const CHARACTERS_PER_TOKEN = 4;

/** Not what a tokenizer would count, but it grows with the prompt, which is what tests need. */
export function estimateTokens(value: string | JsonObject): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
