import type { ChannelRuntimeMemoryScope } from '@stoa/protocol';
import { type EventRow, findEvent, listEventsOfTypeBefore, type Tx } from '@stoa/store';
import { dataOf } from '../kernel/codec.js';
import { viewOf } from '../memory/view.js';

/** Where the context of a run begins, and the summary of what came before. */
export interface ContextStart {
  readonly after: number;
  readonly summary?: { readonly seq: number; readonly text: string };
}

/** Whether an event belongs to this view. Events without a run, such as `session_cleared`, belong to every view. */
export function isInView(view: string, data: { memoryScope?: ChannelRuntimeMemoryScope }): boolean {
  return data.memoryScope === undefined || viewOf(data.memoryScope) === view;
}

/**
 * `contextSeq` is where the session was cleared or compacted last. A summary of another view does not apply, so the search
 * continues before it.
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
    seq = yield* lastStart(topicId, seq);
  }
  return { after: 0 };
}

function* lastStart(topicId: number, before: number): Tx<number> {
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
