import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type Store } from '@stoa/store';

/** A store to replay a log into; its file goes when it is closed. */
export async function openScratchStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-replay-'));
  const store = openSqliteStore(join(folder, 'replay.db'), { durability: 'relaxed' });
  const close = store.close.bind(store);
  return Object.assign(store, {
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}
