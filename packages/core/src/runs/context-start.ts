import type { ChannelRuntimeMemoryScope } from '@stoa/protocol';
import { type EventRow, findEvent, listEventsOfTypeBefore, type Tx } from '@stoa/store';
import { dataOf } from '../kernel/codec.js';
import { viewOf } from '../memory/view.js';

/** Where what a run is shown begins, and what stands for all before. */
export interface ContextStart {
  readonly after: number;
  readonly summary?: { readonly seq: number; readonly text: string };
}

/** Whether an event is of this view; what is of no run, such as a clearing, is of every view. */
export function isInView(view: string, data: { memoryScope?: ChannelRuntimeMemoryScope }): boolean {
  return data.memoryScope === undefined || viewOf(data.memoryScope) === view;
}

/**
 * `contextSeq` is where the session was cleared or compacted last. What was compacted in another view
 * is not for this one: then it is looked for further back.
 */
export function* contextStart(
  { topicId, contextSeq }: { readonly topicId: number; readonly contextSeq: number },
  view: string,
): Tx<ContextStart> {
  for (let seq = contextSeq; seq > 0; ) {
    const begin = yield* findEvent.first({ topicId, seq });
    if (begin?.type !== 'compacted') return { after: seq };
    const compacted = dataOf('compacted', begin);
    if (isInView(view, compacted)) {
      return { after: compacted.upToSeq, summary: { seq, text: compacted.summary } };
    }
    seq = yield* lastBegin(topicId, seq);
  }
  return { after: 0 };
}

function* lastBegin(topicId: number, before: number): Tx<number> {
  const seqs: number[] = [0];
  for (const type of ['compacted', 'session_cleared'] as const) {
    const page: EventRow[] = yield* listEventsOfTypeBefore.all({
      topicId,
      type,
      after: 0,
      before,
      limit: 1,
    });
    for (const { seq } of page) seqs.push(seq);
  }
  return Math.max(...seqs);
}
