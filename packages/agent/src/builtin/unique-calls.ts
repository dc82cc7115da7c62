import type { TranscriptEntry } from '@stoa/core';
import type { AssistantPart } from '@stoa/protocol';

export function callIdsOf(entries: readonly TranscriptEntry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === 'assistant'
      ? entry.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
      : [],
  );
}

/** Ids that every provider accepts. */
const VALID_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Replaces call ids that are missing, invalid or used, so that no call gets the result of another. Adds all ids to `used`. */
export function uniqueCalls(
  parts: readonly AssistantPart[],
  used: Set<string>,
  prefix: string,
): AssistantPart[] {
  return parts.map((part, index) => {
    if (part.type !== 'tool_call') return part;
    const isUsable = VALID_ID.test(part.callId) && !used.has(part.callId);
    const callId = isUsable ? part.callId : `${prefix}_${String(index)}`;
    used.add(callId);
    return { ...part, callId };
  });
}
