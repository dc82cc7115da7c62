import type { TranscriptEntry } from '@stoa/core';
import { entryText } from './entry-text.js';
import { estimateText } from './estimate-tokens.js';

export interface CompactionPlan {
  /** What the summary takes the place of, the summary before it included. */
  readonly older: readonly TranscriptEntry[];
  readonly upToSeq: number;
}

/**
 * What is summed up, so that what stays takes about `keepTokens`. A call is never parted from its
 * result, so what is still open stays. Undefined when there is nothing that could go.
 */
export function planCompaction(
  entries: readonly TranscriptEntry[],
  keepTokens: number,
): CompactionPlan | undefined {
  const cuts = possibleCuts(entries);
  const sizes = entries.map((entry) => estimateText(entryText(entry)));
  let kept = sizes.reduce((sum, size) => sum + size, 0);
  let best: Cut | undefined;
  let at = 0;
  for (const cut of cuts) {
    for (; at < cut.length; at++) kept -= sizes[at] ?? 0;
    // The newest exchange stays, however long it is.
    if (cut.length === entries.length && best) break;
    best = cut;
    if (kept <= keepTokens) break;
  }
  return best && { older: entries.slice(0, best.length), upToSeq: best.upToSeq };
}

interface Cut {
  /** How many entries go. */
  readonly length: number;
  readonly upToSeq: number;
}

function possibleCuts(entries: readonly TranscriptEntry[]): Cut[] {
  const cuts: Cut[] = [];
  const open = new Set<string>();
  let upToSeq = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.type === 'summary') continue;
    upToSeq = entry.seq;
    if (entry.type === 'assistant') {
      for (const part of entry.parts) if (part.type === 'tool_call') open.add(part.callId);
    } else if (entry.type === 'tool_result') open.delete(entry.callId);
    const next = entries[index + 1];
    const isBetweenEvents = next === undefined || next.seq > upToSeq;
    // An answer stays with what it answers.
    const isInQuestion =
      entry.type === 'context' || (entry.type === 'input' && next?.type !== 'input');
    if (open.size === 0 && isBetweenEvents && !isInQuestion)
      cuts.push({ length: index + 1, upToSeq });
  }
  return cuts;
}
