import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SOURCE = new URL('../../../store/src/search/search-thread.ts', import.meta.url);

/** Builds the entry of the search thread from its source, as the program ships it. */
export async function buildSearchThread(directory: string): Promise<URL> {
  const outfile = join(directory, 'search-thread.mjs');
  // The directory is anywhere, so the native module has to be named in full.
  const sqlite = createRequire(SOURCE).resolve('better-sqlite3');
  await build({
    entryPoints: [fileURLToPath(SOURCE)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['stoa-source'],
    alias: { 'better-sqlite3': sqlite },
    external: [sqlite],
  });
  return pathToFileURL(outfile);
}
