// Bundles what starts (the command with its daemon, and its threads) with esbuild. Libraries get their
// types from tsc; nothing here is needed to import a package from its source.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

// Native or optional at run time; everything else goes into the bundle so that start-up reads a
// few files instead of hundreds.
const external = [
  'pg-native',
  'bufferutil',
  'utf-8-validate',
  // Of the tests; it finds its own parts beside itself.
  'playwright-core',
  // Fastify asks for these only when it is given no compilers, and it is given ours.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
];

const stampName = '.bundle-stamp';

const namedByContent = /^chunk-|-[0-9a-f]{16}\.js(?:\.map|\.cache)?$/;

const dayInMs = 24 * 60 * 60 * 1000;

/** Entry name (without .js) → source file. Threads sit beside the entries that start them. */
const threads = { 'search-thread': 'packages/store/src/search/search-thread.ts' };

const programs = { stoa: 'packages/cli/src/stoa.ts', ...threads };

/** What `stoa` runs through load-part.ts: each a script of its own, with a code cache of its own. */
const parts = {
  main: 'packages/cli/src/main.ts',
  'quick-status': 'packages/cli/src/quick-status.ts',
  daemon: 'packages/daemon/src/index.ts',
};

const outdirOfPrograms = 'packages/cli/dist';

/** The `stoa` command and everything it can start. */
export function bundlePrograms(options = {}) {
  return bundle({
    outdir: outdirOfPrograms,
    entries: programs,
    parts,
    executable: 'stoa',
    ...options,
  });
}

/** The parts of the last build, by their names. */
export function builtParts() {
  const directory = path.join(root, outdirOfPrograms);
  const stamp = readOrEmpty(path.join(directory, stampName));
  return Object.fromEntries(
    Object.keys(parts).map((name) => [name, path.join(directory, partFile(name, stamp))]),
  );
}

/** The benchmark runner, and one entry for every file in `bench/src/processes/`. */
export function bundleBenchmarks(options = {}) {
  const processes = path.join(root, 'bench/src/processes');
  const entries = { bench: 'bench/src/main.ts', ...threads };
  for (const file of fs.existsSync(processes) ? fs.readdirSync(processes) : []) {
    if (file.endsWith('.ts') && !file.endsWith('.test.ts')) {
      entries[path.basename(file, '.ts')] = `bench/src/processes/${file}`;
    }
  }
  return bundle({ outdir: 'bench/dist', entries, ...options });
}

/**
 * Returns whether anything was built: an outdir whose stamp equals the content hash of the sources
 * is left alone.
 */
export async function bundle(wanted) {
  const { outdir, entries, parts, executable, isModule, force = false } = wanted;
  const target = path.join(root, outdir);
  const stampFile = path.join(target, stampName);
  const stamp = hashOf(sourceFiles(), JSON.stringify(entries));
  if (!force && readOrEmpty(stampFile) === stamp) return false;

  const outputFiles = await build({ ...wanted, stamp });
  if (parts) writeType(target, 'commonjs');
  if (isModule) writeType(target, 'module');
  write(target, outputFiles, new Set(Object.keys(entries).map((name) => `${name}.js`)), executable);
  fs.writeFileSync(stampFile, stamp);
  return true;
}

async function build({ outdir, entries, parts, plugins = [], more = [], stamp }) {
  // Loaded late: this module is also read before the dependencies are installed.
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
  const builds =
    parts === undefined
      ? [{ ...asModules, entryPoints: entries }]
      : [
          { ...asCommonJs(stamp), entryPoints: entries },
          { ...asParts(stamp), entryPoints: parts },
        ];
  try {
    const built = await Promise.all(builds.map((own) => esbuild.build({ ...common, ...own })));
    return built.flatMap(({ outputFiles }) => outputFiles);
  } finally {
    // Its service is a process of its own, which would otherwise live as long as the daemon.
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

// What starts often is CommonJS: Node has no code cache for ES modules, and takes longer to its first
// line. What is imported late is inside, and still run only when it is asked for.
const asCommonJs = (stamp) => ({
  format: 'cjs',
  supported: { 'dynamic-import': false },
  define: {
    BUILD: JSON.stringify(ending(stamp)),
    'import.meta.url': '__url',
    // Where there is none, as in Node 20, the driver of PostgreSQL makes a Response to see where it
    // runs, and for that Node loads all of its fetch.
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
    entryNames: `[name]-${ending(stamp)}`,
    banner: { js: `(function (exports, require, module, __filename) { 'use strict'; ${url}` },
    footer: { js: '})' },
  };
};

const url = "const __url = require('node:url').pathToFileURL(__filename).href;";

const ending = (stamp) => stamp.slice(0, 16);

const partFile = (name, stamp) => `${name}-${ending(stamp)}.js`;

// A daemon may be running from this directory: what is named by content goes first, entries last,
// each by rename; what earlier builds left stays for a day, because somebody may be starting from it.
function write(target, outputFiles, entryNames, executable) {
  fs.mkdirSync(target, { recursive: true });
  const rank = (file) => (entryNames.has(path.relative(target, file.path)) ? 1 : 0);
  for (const file of [...outputFiles].sort((a, b) => rank(a) - rank(b))) {
    const temporary = `${file.path}.${process.pid}.tmp`;
    fs.mkdirSync(path.dirname(file.path), { recursive: true });
    fs.writeFileSync(temporary, file.contents);
    if (path.basename(file.path) === `${executable}.js`) fs.chmodSync(temporary, 0o755);
    // A build that is forced may differ from one of the same name, and then so does its code.
    fs.rmSync(`${file.path}.cache`, { force: true });
    fs.renameSync(temporary, file.path);
  }
  const written = new Set(outputFiles.map((file) => path.basename(file.path)));
  for (const name of fs.readdirSync(target)) {
    const file = path.join(target, name);
    const isOld = Date.now() - fs.statSync(file).mtimeMs > dayInMs;
    if (namedByContent.test(name) && !written.has(name) && isOld) fs.rmSync(file);
  }
}

/** Of the files in a directory, whatever the package around it says. */
function writeType(directory, type) {
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(path.join(directory, 'package.json'), `${JSON.stringify({ type })}\n`);
}

/** Of the version of Node, of these files with their paths, and of what else is given. */
export function hashOf(files, ...more) {
  const hash = createHash('sha256').update(process.version);
  for (const text of more) hash.update(text);
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

function sourceFiles() {
  // The web UI is built by build-web.mjs; nothing here imports it.
  const packages = fs.readdirSync(path.join(root, 'packages')).filter((name) => name !== 'web');
  return [
    ...['package-lock.json', 'tsconfig.base.json', 'scripts/bundle.mjs', 'scripts/bundle-kit.mjs'],
    ...[...packages.sort().map((name) => `packages/${name}`), 'bench'].flatMap((directory) => [
      `${directory}/package.json`,
      `${directory}/src`,
    ]),
  ].flatMap((location) => filesIn(path.join(root, location)));
}

export function readOrEmpty(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
