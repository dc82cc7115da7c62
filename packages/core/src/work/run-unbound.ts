import type { Tx } from '@stoa/store';
import type { NewEvent } from '../log/log.js';
import { findWork, workChanged } from './read-work.js';

/** What is over is bound to no thread: the work of the one it was woken in goes on without it. */
export function* runUnbound(topicId: number, rootMessageId: string, runId: string): Tx<NewEvent[]> {
  const work = yield* findWork(topicId, rootMessageId);
  if (!work) return [];
  const bindings = work.bindings.filter(
    ({ bindingKind, bindingRef }) => bindingKind !== 'run' || bindingRef !== runId,
  );
  if (bindings.length === work.bindings.length) return [];
  return [workChanged('binding', { ...work, bindings })];
}
