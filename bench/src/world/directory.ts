import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './scope.js';

const TMPFS = 0x0102_1994;

/** A temporary directory that goes with the scope. */
export function openDirectory(scope: Scope): string {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-bench-'));
  scope.defer(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  if (statfsSync(directory).type === TMPFS) {
    console.error(`${tmpdir()} is in memory, where a sync costs nothing: set TMPDIR to a disk`);
  }
  return directory;
}
