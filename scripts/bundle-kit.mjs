// The packages that the end-to-end tests import, bundled: there a simulated history runs as it would in the
// program, and not through the accessors of a test runner, which cost a sixth of its time.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { root } from './root.mjs';

const outdir = 'node_modules/.cache/stoa-kit';

const entries = {
  client: 'packages/client/src/index.ts',
  'client-node': 'packages/client/src/node.ts',
  daemon: 'packages/daemon/src/index.ts',
  protocol: 'packages/protocol/src/index.ts',
  store: 'packages/store/src/index.ts',
  testkit: 'packages/testkit/src/index.ts',
};

/** What a test names → the file that it gets. */
export const kitAliases = Object.keys(entries).map((name) => ({
  find: new RegExp(`^@stoa/${name.replace('-', '/')}$`),
  replacement: path.join(root, outdir, `${name}.js`),
}));

export async function bundleKit() {
  await bundle({ outdir, entries, plugins: [placeOfTheSource], isModule: true });
}

/** Files are found beside the source that names them, not beside the bundle. */
const placeOfTheSource = {
  name: 'place-of-the-source',
  setup(build) {
    build.onLoad({ filter: /[\\/]packages[\\/].*\.ts$/ }, async ({ path: file }) => {
      const source = await fs.promises.readFile(file, 'utf8');
      if (!source.includes('import.meta.url')) return undefined;
      const place = JSON.stringify(pathToFileURL(file).href);
      return { contents: source.replaceAll('import.meta.url', place), loader: 'ts' };
    });
  },
};
