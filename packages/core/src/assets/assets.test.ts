import { openPostgresStore, type PostgresStore } from '@stoa/store';
import { type FreshDatabase, freshDatabase, until } from '@stoa/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFiles } from '../ports.js';
import { Assets } from './assets.js';

const ADMIN = { kind: 'human', id: 'owner', owner: true, credentialId: 'x' } as const;
const BYTES = new TextEncoder().encode('the same bytes');

describe('two daemons with one directory of assets', () => {
  let database: FreshDatabase;
  let stores: PostgresStore[];
  let watcher: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    const options = { url: database.url, durability: 'relaxed' } as const;
    stores = await Promise.all([openPostgresStore(options), openPostgresStore(options)]);
    watcher = new pg.Client(database.url);
    await watcher.connect();
  });
  afterAll(async () => {
    await Promise.all([...stores.map((store) => store.close()), watcher.end()]);
    await database.drop();
  });

  it('keep the file of bytes that are uploaded again while they are deleted', async () => {
    const [here, there] = stores as [PostgresStore, PostgresStore];
    const shared = new Set<string>();
    let counted = 0;
    const ids = { next: (prefix: string) => `${prefix}_${String((counted += 1))}` };
    const files: AssetFiles = {
      write: () => Promise.resolve({ digest: [...shared.add('d')][0] ?? '', mediaType: 'x' }),
      exists: (digest) => Promise.resolve(shared.has(digest)),
      read: () => Promise.reject(new Error('not here')),
      remove: (digest) => Promise.resolve(void shared.delete(digest)),
    };
    const clock = { now: Date.now };
    const creating = new Assets(there, files, ids, clock);
    let again: Promise<{ assetId: string }> | undefined;
    const deleting = new Assets(
      here,
      {
        ...files,
        // The other daemon waits for the lock when the file is about to be removed.
        async remove(digest) {
          let done = false;
          again = creating.create(BYTES, undefined, 'human:ada').finally(() => {
            done = true;
          });
          await until('the other one is done, or waits', async () => {
            const waiting = await watcher.query(
              `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
            );
            return done || waiting.rowCount === 1;
          });
          await files.remove(digest);
        },
      },
      ids,
      clock,
    );
    const { assetId } = await deleting.create(BYTES, undefined, 'human:ada');
    await deleting.delete(ADMIN, assetId);
    const renewed = await again;
    expect(renewed?.assetId).not.toBe(assetId);
    expect(await creating.get(renewed?.assetId ?? '')).toMatchObject({ digest: 'd' });
    expect([...shared]).toEqual(['d']);
  });
});
