import type { Retention } from '@stoa/core';
import type Database from 'better-sqlite3';
import { violated } from '../failure.js';
import type { ModelKey, ModelState } from './state.js';

export interface Sweep {
  readonly db: Database.Database;
  /** When the sweep began. */
  readonly since: number;
  /** The latest the clock said since then. */
  readonly latest: number;
  readonly retention: Retention;
  readonly forgotten: (key: ModelKey) => void;
}

/**
 * Follows what a sweep removed. Nothing says that it has to remove it now, but everything that is
 * gone must have been allowed to go.
 */
export function reconcile(state: ModelState, sweep: Sweep): void {
  const { db, since, latest, retention } = sweep;
  const keys = new Set(column(db, `SELECT "actorId" || ' ' || "key" FROM "idempotencyKeys"`));
  for (const [name, key] of state.keys) {
    if (keys.has(name)) continue;
    if (key.at >= since - retention.idempotencyKeyMs) violated('a key was forgotten too early', { key });
    state.keys.delete(name);
    sweep.forgotten(key);
  }
  const credentials = new Set(column(db, 'SELECT "credentialId" FROM "credentials"'));
  for (const [id, { revokedAt }] of state.credentials) {
    if (credentials.has(id)) continue;
    if (revokedAt === null || revokedAt >= since - retention.revokedCredentialMs) {
      violated('a credential was removed too early', { id, revokedAt, since });
    }
    state.credentials.delete(id);
  }
  const assets = new Set(column(db, 'SELECT "assetId" FROM "assets"'));
  for (const [id, { createdAt }] of state.assets) {
    if (assets.has(id)) continue;
    if (isInUse(state, id) || createdAt >= latest - retention.unusedAssetMs) {
      violated('an asset was collected that is in use or new', { id, createdAt, since });
    }
    state.assets.delete(id);
  }
  followFloors(state, sweep);
}

function followFloors(state: ModelState, { db, retention }: Sweep): void {
  const rows = db
    .prepare<[], { name: string; floor: number; kept: number }>(
      `SELECT "name", "floor", EXISTS (SELECT 1 FROM "events" e
         WHERE e."topicId" = "topics"."id" AND e."seq" <= "topics"."floor") AS "kept" FROM "topics"`,
    )
    .all();
  for (const { name, floor, kept } of rows) {
    const topic = state.topics.get(name);
    if (!topic) return violated('there is a topic that nobody made', { name });
    if (floor !== topic.floor) {
      const highest = topic.events.length - retention.humanTopicEvents;
      if (!name.startsWith('human:') || floor < topic.floor || floor > highest) {
        violated(`${name} was trimmed wrongly`, { floor, before: topic.floor, highest });
      }
      topic.floor = floor;
    }
    topic.erased = floor > 0 && kept === 0;
  }
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

const column = (db: Database.Database, sql: string): string[] =>
  db.prepare<[], string>(sql).pluck().all();
