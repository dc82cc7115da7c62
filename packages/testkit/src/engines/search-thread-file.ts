import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SOURCE = new URL('../../../store/src/search/search-thread.ts', import.meta.url);

/** In parts: scripts/bundle-kit.mjs replaces the whole expression wherever it is written. */
const OWN_ADDRESS = ['import', 'meta', 'url'].join('.');

/** Builds the entry of the search thread from its source, as the program ships it. */
export async function buildSearchThread(directory: string): Promise<URL> {
  const outfile = join(directory, 'search-thread.mjs');
  await build({
    entryPoints: [fileURLToPath(SOURCE)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['stoa-source'],
    // The directory is anywhere; packages are looked for from where the source is.
    define: { [OWN_ADDRESS]: JSON.stringify(SOURCE.href) },
  });
  return pathToFileURL(outfile);
}
