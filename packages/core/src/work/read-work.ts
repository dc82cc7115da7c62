import { type BindingKind, channelTopic, type ThreadWork, type WorkCause } from '@stoa/protocol';
import { type FullThreadWorkRow, findMessageRow, findThreadWork, type Tx } from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { newWork } from './changes.js';

export const workOf = ({ changed }: Pick<FullThreadWorkRow, 'changed'>): ThreadWork =>
  decode(changed).work;

export function* findWork(topicId: number, rootMessageId: string): Tx<ThreadWork | undefined> {
  const row = yield* findThreadWork.first({ topicId, rootMessageId });
  return row && workOf(row);
}

/** The work of a thread, or new work if it has none; undefined if there is no such thread. */
export function* workIn(
  { topicId, channelId }: LockedChannel,
  rootMessageId: string,
  at: number,
): Tx<ThreadWork | undefined> {
  const known = yield* findWork(topicId, rootMessageId);
  if (known) return known;
  const root = yield* findMessageRow.first({ topicId, messageId: rootMessageId });
  if (!root || root.rootMessageId !== null) return undefined;
  const topicKind = root.authorId.startsWith('human:') ? 'human' : 'autonomous_root';
  return newWork(channelId, rootMessageId, topicKind, 'active', at);
}

export const workChanged = (cause: WorkCause, work: ThreadWork): NewEvent => ({
  topic: channelTopic(work.channelId),
  event: { type: 'thread_work_changed', data: { cause, work } },
});

/** Removes a binding from the work of a thread. */
export function* unbind(
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
