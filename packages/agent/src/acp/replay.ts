import { RequestError, type RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Transcript } from '@stoa/core';
import type { SessionListener } from './agent-process.js';
import { readUpdate } from './session-updates.js';

/** How much of the end of a text is looked for. */
const COMPARED_CHARS = 200;

/**
 * Listens while a session is loaded: the program says again what was said in it, and none of that is for
 * the journal. A program that answers before it has said all of it would say the rest after the next
 * prompt, as if it were the answer. So a loaded session is used only if the last text that the journal
 * has of the agent was heard before the answer.
 */
export class Replay implements SessionListener {
  #count = 0;
  #text = '';

  /** Whether anything of the session was heard. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Whether the end of what the journal knows was heard. */
  reaches(lastText: string | undefined): boolean {
    return lastText === undefined || bare(this.#text).includes(endOf(lastText));
  }

  update(raw: unknown): void {
    const update = readUpdate(raw);
    if (update.type === 'text') this.#text += update.text;
    if (HISTORY.has(update.type)) this.#count += 1;
  }

  permission(): Promise<RequestPermissionResponse> {
    return Promise.resolve({ outcome: { outcome: 'cancelled' } });
  }

  readTextFile(): Promise<never> {
    return Promise.reject(RequestError.invalidRequest());
  }

  writeTextFile(): Promise<never> {
    return Promise.reject(RequestError.invalidRequest());
  }
}

const HISTORY: ReadonlySet<string> = new Set(['text', 'user', 'tool', 'activity']);

/** What the agent wrote last, as far as the journal knows it. */
export function lastTextOf({ entries }: Pick<Transcript, 'entries'>): string | undefined {
  for (const entry of [...entries].reverse()) {
    if (entry.type !== 'assistant') continue;
    const texts = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const text = texts.join('');
    if (bare(text) !== '') return text;
  }
  return undefined;
}

const bare = (text: string): string => text.replaceAll(/\s+/g, '');
const endOf = (text: string): string => bare(text).slice(-COMPARED_CHARS);
