// The code cache of the bundled program: what V8 made of it in one start, so that the next starts need
// not compile it again. Without it everything works, only slower.
import fs from 'node:fs';
import { builtParts } from './bundle.mjs';
import { capture } from './run.mjs';

const limitInMs = 60_000;

/** Makes the cache of the last build where it is missing. Needs SQLite: a daemon is started for it. */
export async function cachePrograms() {
  const files = Object.values(builtParts());
  if (files.every((file) => fs.existsSync(`${file}.cache`))) return;
  // V8 refuses a cache that was made with other flags, and settings of Stoa are not for this daemon.
  const kept = Object.entries(process.env).filter(([name]) => !/^(STOA_|NODE_OPTIONS$)/.test(name));
  const { status, output } = await capture(['scripts/warm-up.mjs'], {
    env: Object.fromEntries(kept),
    timeout: limitInMs,
  });
  if (status === 0) return;
  console.warn(`Stoa will start more slowly: its code could not be compiled ahead.\n${output}`);
}
