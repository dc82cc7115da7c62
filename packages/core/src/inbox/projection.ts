import { insertInboxItem, requeueInboxItem, settleInboxItem, type Tx } from '@stoa/store';
import { holdReferences } from '../assets/content.js';
import type { Position } from '../kernel/entry.js';
import type { EventOf, Projections } from '../kernel/module.js';

function* settleItem(position: Position, event: EventOf<'dropped' | 'dead_lettered'>): Tx<void> {
  const { at } = position;
  const { itemId, reason } = event.data;
  const state = event.type === 'dropped' ? 'dropped' : 'dead_letter';
  yield* settleInboxItem.run({ itemId, state, reason, at });
}

/** What the events of inbox items do to their table. */
export const INBOX_EVENTS: Projections = {
  *accepted(position, event) {
    const { topicId, seq, at } = position;
    const { itemId, kind, runId, from, expiresAt } = event.data;
    const row = { topicId, seq, itemId, kind, runId, fromId: from, at };
    yield* insertInboxItem.run({ ...row, expiresAt: expiresAt ?? null });
    yield* holdReferences(topicId, itemId, event.data.inputItems);
  },
  *requeued(_, event) {
    const { itemId, runId, attempts, reason, expiresAt = null } = event.data;
    yield* requeueInboxItem.run({ itemId, runId, attempts, reason, expiresAt });
  },
  *delivered(position, event) {
    const { at } = position;
    yield* settleInboxItem.run({
      itemId: event.data.itemId,
      state: 'delivered',
      reason: null,
      at,
    });
  },
  dropped: settleItem,
  dead_lettered: settleItem,
};
