import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SOURCE = new URL('../../../store/src/search/search-thread.ts', import.meta.url);

/** Joined from parts, because scripts/bundle-kit.mjs replaces the expression everywhere. */
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
    // Packages are resolved from the source, because the directory may be anywhere.
    define: { [OWN_ADDRESS]: JSON.stringify(SOURCE.href) },
  });
  return pathToFileURL(outfile);
}
