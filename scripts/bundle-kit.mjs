// What the tests import, bundled: there it runs as it would in the program, and not through the accessors of
// a test runner, which cost a sixth of its time; and it is loaded in a third of the time.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { root } from './run.mjs';

const outdir = 'node_modules/.cache/stoa-kit';

const packages = {
  '@stoa/agent': 'packages/agent/src/index.ts',
  '@stoa/client': 'packages/client/src/index.ts',
  '@stoa/client/node': 'packages/client/src/node.ts',
  '@stoa/core': 'packages/core/src/index.ts',
  '@stoa/daemon': 'packages/daemon/src/index.ts',
  '@stoa/protocol': 'packages/protocol/src/index.ts',
  '@stoa/shell': 'packages/shell/src/index.ts',
  '@stoa/store': 'packages/store/src/index.ts',
  '@stoa/testkit': 'packages/testkit/src/index.ts',
};

/** What runs in a browser is built by Vite, and tested by it. */
const folders = [
  'agent',
  'cli',
  'client',
  'core',
  'daemon',
  'protocol',
  'shell',
  'store',
  'testkit',
];

/** Every source file that a test names, from the root of the repository. */
function sourcesNamedByTests() {
  const named = new Set(Object.values(packages));
  for (const folder of folders) {
    const source = path.join(root, 'packages', folder, 'src');
    for (const test of fs.readdirSync(source, { recursive: true })) {
      if (!test.endsWith('.test.ts')) continue;
      const file = path.join(source, test);
      for (const [, id] of fs.readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)\.js'/g)) {
        const target = path.resolve(path.dirname(file), `${id}.ts`);
        if (fs.existsSync(target)) named.add(path.relative(root, target));
      }
    }
  }
  return [...named].sort();
}

const sources = sourcesNamedByTests();

/** What a test and what it tests must have in common, and what finds its own parts beside itself. */
const notInside = ['vitest', 'pg', 'esbuild'];

/** Only the test runner can give what is imported something else than it names. */
const replacesModules = (test) => fs.readFileSync(test, 'utf8').includes('vi.mock(');

const bundled = (source) => path.join(root, outdir, source.replace(/\.ts$/, '.js'));

/** What is bundled once would not change with its source, where vitest goes on and watches. */
const isOneRun = ['run', '--run'].some((word) => process.argv.includes(word));

/** For Vite: gives a test the bundled form of what it imports. */
export const fromKit = isOneRun && {
  name: 'stoa-kit',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id in packages) return bundled(packages[id]);
    if (!id.startsWith('.') || !importer?.endsWith('.test.ts')) return undefined;
    const target = path.resolve(path.dirname(importer), id.replace(/\.js$/, '.ts'));
    const source = path.relative(root, target);
    if (!sources.includes(source) || replacesModules(importer)) return undefined;
    return bundled(source);
  },
};

export async function bundleKit() {
  const entries = Object.fromEntries(sources.map((file) => [file.replace(/\.ts$/, ''), file]));
  await bundle({ outdir, entries, plugins: [placeOfTheSource], more: notInside, isModule: true });
}

/** For vitest: what tests import is bundled from the sources as they are now. */
export { bundleKit as setup };

/** The bundled form of a package. */
export const kitFile = (name) => bundled(packages[name]);

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
