// Bundles what tests import from the packages. Bundled code runs as it does in the program instead of through the accessors of
// the test runner, which saves a sixth of the time of the tests, and loads in a third of the time.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { root } from './run.mjs';

const outdir = 'node_modules/.cache/stoa-kit';

/** Vite builds and tests what runs in a browser. */
const folders = fs.readdirSync(path.join(root, 'packages')).filter((name) => name !== 'web');

/** The source file of every name that a package exports, such as `@stoa/client/node`. */
const packages = Object.fromEntries(
  folders.flatMap((folder) => {
    const file = path.join(root, 'packages', folder, 'package.json');
    const { name, exports = {} } = JSON.parse(fs.readFileSync(file, 'utf8'));
    return Object.entries(exports).map(([subpath, target]) => [
      path.posix.join(name, subpath),
      path.posix.join('packages', folder, target['stoa-source']),
    ]);
  }),
);

/** Every source file that a test names, relative to the root of the repository. */
const sources = [...new Set([...Object.values(packages), ...importedByTests()])].sort();

function importedByTests() {
  return folders.flatMap((folder) => {
    const directory = path.join(root, 'packages', folder, 'src');
    const tests = fs.readdirSync(directory, { recursive: true });
    return tests
      .filter((test) => test.endsWith('.test.ts'))
      .flatMap((test) => {
        const file = path.join(directory, test);
        const imports = fs.readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)\.js'/g);
        return [...imports].map(([, id]) => path.resolve(path.dirname(file), `${id}.ts`));
      })
      .filter((target) => fs.existsSync(target))
      .map((target) => path.relative(root, target));
  });
}

const bundled = (source) => path.join(root, outdir, source.replace(/\.ts$/, '.js'));

/** The bundled form of a package. */
export const kitFile = (name) => bundled(packages[name]);

/** When vitest watches, it has to use the sources, because the bundle does not change with them. */
const isOneRun = ['run', '--run'].some((word) => process.argv.includes(word));

/** For vite: resolves the imports of tests to the bundled form. */
export const fromKit = isOneRun && {
  name: 'stoa-kit',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id in packages) return kitFile(id);
    if (!id.startsWith('.') || !importer?.endsWith('.test.ts')) return undefined;
    const target = path.resolve(path.dirname(importer), id.replace(/\.js$/, '.ts'));
    const source = path.relative(root, target);
    // Only the test runner can replace modules.
    const replacesModules = fs.readFileSync(importer, 'utf8').includes('vi.mock(');
    return sources.includes(source) && !replacesModules ? bundled(source) : undefined;
  },
};

export async function bundleKit() {
  const entries = Object.fromEntries(sources.map((file) => [file.replace(/\.ts$/, ''), file]));
  // Tests and what they test must share vitest; the others find their own files beside themselves.
  const more = ['vitest', 'pg', 'esbuild'];
  await bundle({ outdir, entries, options: { plugins: [keepSourceUrls], more } });
}

/** For vitest. */
export { bundleKit as setup };

/** Keeps `import.meta.url` the URL of the source, so that it finds the files beside the source. */
const keepSourceUrls = {
  name: 'keep-source-urls',
  setup(build) {
    build.onLoad({ filter: /[\\/]packages[\\/].*\.ts$/ }, async ({ path: file }) => {
      const source = await fs.promises.readFile(file, 'utf8');
      if (!source.includes('import.meta.url')) return undefined;
      const url = JSON.stringify(pathToFileURL(file).href);
      return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};
