import { type EventRow, listEventsAfter, type Tx } from '@stoa/store';
import { dataOf } from '../kernel/codec.js';

export interface StartedCall {
  readonly callId: string;
  readonly tool: string;
}

const PAGE = 500;

/**
 * Tool calls of a run that were started and have no result: the daemon ended in between, so their outcome is unknown. They
 * are never repeated automatically.
 */
export function* danglingCalls(topicId: number, after: number, runId: string): Tx<StartedCall[]> {
  const open = new Map<string, StartedCall>();
  for (let last = after; ; ) {
    const page: EventRow[] = yield* listEventsAfter.all({ topicId, after: last, limit: PAGE });
    for (const { type, body } of page) {
      if (type !== 'tool_call' && type !== 'tool_result') continue;
      const data = dataOf('tool_call', { body });
      if (data.runId !== runId) continue;
      if (type === 'tool_call') open.set(data.callId, { callId: data.callId, tool: data.tool });
      else open.delete(data.callId);
    }
    const end = page.at(-1);
    if (!end || page.length < PAGE) return [...open.values()];
    last = end.seq;
  }
}
