// Bundles the programs (the command with its daemon, its threads, the benchmarks) with esbuild, so that a start reads a few
// files instead of hundreds. A stamp in the output directory is the hash of all sources: equal sources are not built again.
// `stoa` and its parts are CommonJS: Node has no code cache for ES modules and starts them more slowly. The parts
// are scripts of their own, each with a code cache (code-cache.mjs) of the same name.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

const external = [
  // Native or optional.
  'pg-native',
  'bufferutil',
  'utf-8-validate',
  // Used by tests; finds its own files beside itself.
  'playwright-core',
  // Fastify loads these only if it is given no compilers, and it is given ours.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
];

const stampName = '.bundle-stamp';
const programDirectory = 'packages/cli/dist';

/** A thread is a file beside the program that starts it. */
const threads = { 'search-thread': 'packages/store/src/search/search-thread.ts' };

/** What `stoa` loads with load-part.ts. */
const parts = {
  main: 'packages/cli/src/main.ts',
  'quick-status': 'packages/cli/src/quick-status.ts',
  daemon: 'packages/daemon/src/index.ts',
};

/** Bundles the `stoa` command and everything that it starts. */
export function bundlePrograms() {
  const entries = { stoa: 'packages/cli/src/stoa.ts', ...threads };
  return bundle({ outdir: programDirectory, entries, parts });
}

/** The files of the parts of the last build, by name. */
export function builtParts() {
  const directory = path.join(root, programDirectory);
  const stamp = readOrEmpty(path.join(directory, stampName));
  return Object.fromEntries(
    Object.keys(parts).map((name) => [name, path.join(directory, partFile(name, stamp))]),
  );
}

/** Bundles the benchmark runner, and every process of `bench/src/processes/`. */
export function bundleBenchmarks() {
  const processes = fs
    .readdirSync(path.join(root, 'bench/src/processes'))
    .map((file) => [path.basename(file, '.ts'), `bench/src/processes/${file}`]);
  const entries = { bench: 'bench/src/main.ts', ...threads, ...Object.fromEntries(processes) };
  return bundle({ outdir: 'bench/dist', entries });
}

/** Returns whether anything was built. Output is ES modules, or CommonJS if there are `parts`. */
export async function bundle({ outdir, entries, parts, options = {} }) {
  const target = path.join(root, outdir);
  const stampFile = path.join(target, stampName);
  const stamp = hashOf(sourceFiles(), JSON.stringify(entries));
  if (readOrEmpty(stampFile) === stamp) return false;
  const builds = parts
    ? [
        { ...asCommonJs(stamp), entryPoints: entries },
        { ...asParts(stamp), entryPoints: parts },
      ]
    : [{ ...asModules, entryPoints: entries }];
  const files = await build({ outdir, ...options }, builds);
  fs.mkdirSync(target, { recursive: true });
  const type = parts ? 'commonjs' : 'module';
  fs.writeFileSync(path.join(target, 'package.json'), `${JSON.stringify({ type })}\n`);
  write(target, files, new Set(Object.keys(entries).map((name) => `${name}.js`)));
  fs.writeFileSync(stampFile, stamp);
  return true;
}

async function build({ plugins = [], more = [], outdir }, builds) {
  // Imported here: this module is also loaded before the dependencies are installed.
  const esbuild = await import('esbuild');
  const common = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20.19',
    conditions: ['stoa-source'],
    external: [...external, ...more],
    plugins,
    entryNames: '[dir]/[name]',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  };
  try {
    const built = await Promise.all(builds.map((own) => esbuild.build({ ...common, ...own })));
    return built.flatMap(({ outputFiles }) => outputFiles);
  } finally {
    // Ends the process of esbuild, which would otherwise live as long as the daemon.
    await esbuild.stop();
  }
}

const asModules = {
  format: 'esm',
  splitting: true,
  chunkNames: 'chunk-[hash]',
  // CommonJS dependencies inside an ES module bundle still call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

const url = "const __url = require('node:url').pathToFileURL(__filename).href;";

const asCommonJs = (stamp) => ({
  format: 'cjs',
  // Modules that are imported late are inside the bundle, and still run only when they are needed.
  supported: { 'dynamic-import': false },
  define: {
    BUILD: JSON.stringify(shortHash(stamp)),
    'import.meta.url': '__url',
    // Without a navigator, as on Node 20, the driver of PostgreSQL makes a Response to find out where it runs, and Node
    // loads all of fetch for that.
    navigator: JSON.stringify({ userAgent: 'Node.js' }),
  },
  banner: { js: `'use strict'; ${url}` },
});

const asParts = (stamp) => {
  const daemon = `./${partFile('daemon', stamp)}`;
  return {
    ...asCommonJs(stamp),
    external: [...external, daemon],
    alias: { '@stoa/daemon': daemon },
    entryNames: `[name]-${shortHash(stamp)}`,
    banner: { js: `(function (exports, require, module, __filename) { 'use strict'; ${url}` },
    footer: { js: '})' },
  };
};

const shortHash = (stamp) => stamp.slice(0, 16);

const partFile = (name, stamp) => `${name}-${shortHash(stamp)}.js`;

/**
 * A daemon may be starting from this directory: files that are named by their content are written first, entries last, each by
 * rename, and files of earlier builds stay for a day.
 */
function write(target, outputFiles, entryNames) {
  const rank = (file) => (entryNames.has(path.relative(target, file.path)) ? 1 : 0);
  for (const file of [...outputFiles].sort((a, b) => rank(a) - rank(b))) {
    const temporary = `${file.path}.${process.pid}.tmp`;
    fs.mkdirSync(path.dirname(file.path), { recursive: true });
    fs.writeFileSync(temporary, file.contents);
    if (path.basename(file.path) === 'stoa.js') fs.chmodSync(temporary, 0o755);
    fs.renameSync(temporary, file.path);
  }
  const written = new Set(outputFiles.map((file) => path.basename(file.path)));
  const dayAgo = Date.now() - 24 * 60 * 60 * 1000;
  for (const name of fs.readdirSync(target)) {
    const file = path.join(target, name);
    const isNamedByContent = /^chunk-|-[0-9a-f]{16}\.js(?:\.map|\.cache)?$/.test(name);
    if (isNamedByContent && !written.has(name) && fs.statSync(file).mtimeMs < dayAgo) {
      fs.rmSync(file);
    }
  }
}

/** A hash of the version of Node, of these files with their paths, and of `text`. */
export function hashOf(files, text = '') {
  const hash = createHash('sha256').update(process.version).update(text);
  for (const file of files) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(fs.readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

/** The files below a directory without tests, or the file itself. */
export function filesIn(location) {
  if (!fs.existsSync(location)) return [];
  if (fs.statSync(location).isFile()) return [location];
  return fs
    .readdirSync(location, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** The sources of all packages except the web UI, which nothing here imports. */
function sourceFiles() {
  const packages = fs.readdirSync(path.join(root, 'packages')).filter((name) => name !== 'web');
  const directories = [...packages.sort().map((name) => `packages/${name}`), 'bench'];
  return [
    ...['package-lock.json', 'tsconfig.base.json', 'scripts/bundle.mjs', 'scripts/bundle-kit.mjs'],
    ...directories.flatMap((directory) => [`${directory}/package.json`, `${directory}/src`]),
  ].flatMap((location) => filesIn(path.join(root, location)));
}

export function readOrEmpty(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
