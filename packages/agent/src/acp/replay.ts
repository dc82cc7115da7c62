import { RequestError, type RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Transcript } from '@stoa/core';
import { textOf } from '@stoa/protocol';
import type { SessionListener } from './agent-process.js';
import { readUpdate } from './session-updates.js';

/** How many characters at the end of a text are compared. */
const COMPARED_CHARS = 200;

/**
 * Listens while a session is loaded: the program sends the earlier messages again, and none of them is journaled. A
 * program that answers before it has sent all of them would send the rest after the next prompt, as part of the
 * answer. So a loaded session is used only if the agent's last text in the journal arrived before the answer.
 */
export class Replay implements SessionListener {
  #count = 0;
  #text = '';

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  contains(lastText: string | undefined): boolean {
    if (lastText === undefined) return true;
    return withoutSpace(this.#text).includes(withoutSpace(lastText).slice(-COMPARED_CHARS));
  }

  update(raw: unknown): void {
    const update = readUpdate(raw);
    if (update.type === 'text') this.#text += update.text;
    if (MESSAGES.has(update.type)) this.#count += 1;
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

const MESSAGES: ReadonlySet<string> = new Set(['text', 'user', 'tool', 'activity']);

/** The last text of the agent in the journal. */
export function lastTextOf({ entries }: Pick<Transcript, 'entries'>): string | undefined {
  for (const entry of [...entries].reverse()) {
    if (entry.type !== 'assistant') continue;
    const text = textOf(entry.parts, '');
    if (withoutSpace(text) !== '') return text;
  }
  return undefined;
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '');
