import type { TranscriptEntry } from '@stoa/core';

/** After so many equal failing calls in a row, the model gets a warning. */
export const STREAK_WARNING = 3;
/** After so many, the run fails. */
export const STREAK_FAILS = 5;

/**
 * For each call, how many equal calls in a row have failed, including itself. Depends only on the transcript, so that earlier
 * warnings do not change.
 */
export function failingStreaks(entries: readonly TranscriptEntry[]): ReadonlyMap<string, number> {
  const signatures = new Map<string, string>();
  const streaks = new Map<string, number>();
  let last = { signature: '', length: 0, runId: '' };
  for (const entry of entries) {
    if (entry.type === 'assistant') {
      for (const part of entry.parts)
        if (part.type === 'tool_call')
          signatures.set(part.callId, `${part.tool} ${JSON.stringify(part.input)}`);
    } else if (entry.type === 'tool_result') {
      const { callId, runId, outcome } = entry;
      const signature = signatures.get(callId) ?? callId;
      const hasFailed = outcome === 'error' || outcome === 'denied';
      const isSame = last.signature === signature && last.runId === runId;
      last = { signature, runId, length: hasFailed ? (isSame ? last.length : 0) + 1 : 0 };
      streaks.set(callId, last.length);
    }
  }
  return streaks;
}
