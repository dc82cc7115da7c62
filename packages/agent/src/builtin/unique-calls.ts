import type { TranscriptEntry } from '@stoa/core';
import type { AssistantPart } from '@stoa/protocol';

/** What every provider takes back. */
const TAKEN = /^[A-Za-z0-9_-]{1,64}$/;

export function callIdsOf(entries: readonly TranscriptEntry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === 'assistant'
      ? entry.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
      : [],
  );
}

/**
 * Gives calls ids of their own where the provider's are missing, odd or were used before: what was
 * answered about one call must never be found again for another. Adds them to those used.
 */
export function uniqueCalls(
  parts: readonly AssistantPart[],
  used: Set<string>,
  prefix: string,
): AssistantPart[] {
  return parts.map((part, index) => {
    if (part.type !== 'tool_call') return part;
    const isFree = TAKEN.test(part.callId) && !used.has(part.callId);
    const callId = isFree ? part.callId : `${prefix}_${String(index)}`;
    used.add(callId);
    return { ...part, callId };
  });
}
