import { createHash } from 'node:crypto';
import type { Transcript } from '@stoa/core';

/**
 * Ids of calls that follow from what is called. So a run that was cut off while people were asked finds
 * their answer again when the agent makes the same call; a call that was started before gets a new id,
 * and is asked about anew.
 */
export class CallIds {
  readonly #used = new Set<string>();

  constructor(
    private readonly runId: string,
    { entries, started }: Pick<Transcript, 'entries' | 'started'>,
  ) {
    for (const callId of started) this.#used.add(callId);
    for (const entry of entries) {
      if (entry.type === 'tool_result' && entry.runId === runId) this.#used.add(entry.callId);
    }
  }

  /** `hash` covers everything that describes the call. */
  next(tool: string, hash: string): string {
    const what = JSON.stringify([this.runId, tool, hash]);
    const base = createHash('sha256').update(what).digest('hex').slice(0, ID_CHARS);
    for (let count = 0; ; count++) {
      const id = `acp_${base}_${String(count)}`;
      if (this.#used.has(id)) continue;
      this.#used.add(id);
      return id;
    }
  }
}

const ID_CHARS = 20;
