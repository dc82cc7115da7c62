import type { Retention } from '@stoa/core';
import { violated } from '../failure.js';
import type { ModelKey, ModelState } from './state.js';

/** What a transaction reports as removed. */
export type Removal =
  | { readonly kind: 'keys' | 'credentials'; readonly before: number }
  | { readonly kind: 'floor'; readonly topicId: number; readonly floor: number }
  | { readonly kind: 'channel'; readonly topicId: number }
  | { readonly kind: 'events'; readonly topicId: number; readonly seq: number }
  | { readonly kind: 'asset'; readonly assetId: string; readonly count: number };

export interface Sweeping {
  /** The latest time of the clock since the sweep began. */
  readonly latest: number;
  readonly retention: Retention;
  readonly forgotten: (key: ModelKey) => void;
}

/** Follows what a sweep removes, and checks that it may be removed. */
export function sweepAway(state: ModelState, removal: Removal, sweeping: Sweeping): void {
  const { latest, retention, forgotten } = sweeping;
  const isTooEarly = (before: number, keepMs: number): boolean => before > latest - keepMs;
  switch (removal.kind) {
    case 'keys':
      if (isTooEarly(removal.before, retention.idempotencyKeyMs))
        violated('keys go too early', { removal });
      for (const [name, key] of state.keys) {
        if (key.at >= removal.before) continue;
        state.keys.delete(name);
        forgotten(key);
      }
      return;
    case 'credentials':
      if (isTooEarly(removal.before, retention.revokedCredentialMs)) {
        violated('credentials go too early', { removal, latest });
      }
      for (const [id, { revokedAt }] of state.credentials) {
        if (revokedAt !== null && revokedAt < removal.before) state.credentials.delete(id);
      }
      return;
    case 'floor':
      trim(state, removal.topicId, removal.floor, retention.humanTopicEvents);
      return;
    case 'events': {
      const [name, topic] = topicOf(state, removal.topicId);
      if (removal.seq > topic.floor) violated(`${name} loses what is above its floor`, { removal });
      topic.erased = removal.seq === topic.floor;
      return;
    }
    case 'channel':
      topicOf(state, removal.topicId)[1].swept = true;
      return;
    case 'asset': {
      if (removal.count === 0) return;
      const since = state.assets.get(removal.assetId)?.unusedSince ?? Number.POSITIVE_INFINITY;
      if (isInUse(state, removal.assetId) || isTooEarly(since + 1, retention.unusedAssetMs)) {
        violated('an asset was collected that was in use of late', { removal, since, latest });
      }
      state.assets.delete(removal.assetId);
      return;
    }
  }
}

function trim(state: ModelState, topicId: number, floor: number, keep: number): void {
  const [name, topic] = topicOf(state, topicId);
  if (!name.startsWith('human:') || floor > topic.events.length - keep) {
    violated(`${name} was trimmed to ${floor} of ${topic.events.length} events`);
  }
  topic.floor = Math.max(topic.floor, floor);
}

function topicOf(state: ModelState, topicId: number) {
  const found = [...state.topics].find(([, { id }]) => id === topicId);
  return found ?? violated('a topic that nobody made was swept', { topicId });
}

/** Attached to a message, or pinned, in a channel that can be reached. */
export function isInUse(state: ModelState, assetId: string): boolean {
  return [...state.channels.values()].some(
    ({ pins, messages }) =>
      pins.includes(assetId) ||
      messages.some(
        ({ deletedAt, inputItems }) =>
          deletedAt === undefined &&
          inputItems.some((item) => item.type === 'asset_reference' && item.assetId === assetId),
      ),
  );
}
