import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Scope } from './scope.js';

const BLOCK_BYTES = 4096;
const BLOCKS = 4096;

/**
 * The physical limit: one 4 KB block of a file that is all there already, overwritten and synced.
 * No length and no block map changes, so a sync is one write to the disk.
 */
export function openSyncedBlocks(scope: Scope, path: string): () => void {
  const block = Buffer.alloc(BLOCK_BYTES, 'stoa');
  const file = openSync(path, 'w+');
  scope.defer(() => {
    closeSync(file);
  });
  for (let i = 0; i < BLOCKS; i++) writeSync(file, block, 0, BLOCK_BYTES, i * BLOCK_BYTES);
  fsyncSync(file);
  let next = 0;
  return () => {
    writeSync(file, block, 0, BLOCK_BYTES, (next % BLOCKS) * BLOCK_BYTES);
    fdatasyncSync(file);
    next += 1;
  };
}
