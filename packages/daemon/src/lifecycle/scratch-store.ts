import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScratchStore as openScratch, type ScratchStore } from '@stoa/store';

/** A store to replay logs into; its file goes when it is closed. */
export async function openScratchStore(): Promise<ScratchStore> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-replay-'));
  const store = openScratch(join(folder, 'replay.db'));
  const close = store.close.bind(store);
  return Object.assign(store, {
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}
