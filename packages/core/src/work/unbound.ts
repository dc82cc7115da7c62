import type { BindingKind } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { NewEvent } from '../kernel/log.js';
import { findWork, workChanged } from './read-work.js';

/** What is over is bound to no thread: the work of the thread goes on without it. */
export function* unbound(
  topicId: number,
  rootMessageId: string,
  kind: BindingKind,
  ref: string,
): Tx<NewEvent[]> {
  const work = yield* findWork(topicId, rootMessageId);
  if (!work) return [];
  const bindings = work.bindings.filter(
    ({ bindingKind, bindingRef }) => bindingKind !== kind || bindingRef !== ref,
  );
  if (bindings.length === work.bindings.length) return [];
  return [workChanged('binding', { ...work, bindings })];
}
