import type { TranscriptEntry } from '@stoa/core';

/** The model is told when it made the same failing call this often in a row. */
export const STREAK_TOLD = 3;
/** The run fails when it goes on. */
export const STREAK_FAILS = 5;

/**
 * How often in a row, up to and with it, each call was the same one and failed. Depends on the
 * transcript only, so that what is told stays where it was told.
 */
export function failingStreaks(entries: readonly TranscriptEntry[]): ReadonlyMap<string, number> {
  const what = new Map<string, string>();
  const streaks = new Map<string, number>();
  let last = { signature: '', length: 0, runId: '' };
  for (const entry of entries) {
    if (entry.type === 'assistant') {
      for (const part of entry.parts)
        if (part.type === 'tool_call')
          what.set(part.callId, `${part.tool} ${JSON.stringify(part.input)}`);
    } else if (entry.type === 'tool_result') {
      const { callId, runId, outcome } = entry;
      const signature = what.get(callId) ?? callId;
      const hasFailed = outcome === 'error' || outcome === 'denied';
      const isSame = last.signature === signature && last.runId === runId;
      last = { signature, runId, length: hasFailed ? (isSame ? last.length : 0) + 1 : 0 };
      streaks.set(callId, last.length);
    }
  }
  return streaks;
}
