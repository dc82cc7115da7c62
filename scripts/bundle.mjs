// Bundles what starts (the command with its daemon, and its threads) with esbuild. Libraries get their
// types from tsc; nothing here is needed to import a package from its source.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './root.mjs';

// Native or optional at run time; everything else goes into the bundle so that start-up reads a
// few files instead of hundreds.
const external = [
  'better-sqlite3',
  'pg',
  'pg-native',
  'bufferutil',
  'utf-8-validate',
  // Fastify asks for these only when it is given no compilers, and it is given ours.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
];

const dayInMs = 24 * 60 * 60 * 1000;

/** Entry name (without .js) → source file. Threads sit beside the entries that start them. */
const threads = { 'search-thread': 'packages/store/src/search/search-thread.ts' };

const programs = {
  stoa: 'packages/cli/src/stoa.ts',
  ...threads,
};

/** The `stoa` command and everything it can start. */
export function bundlePrograms(options = {}) {
  return bundle({ outdir: 'packages/cli/dist', entries: programs, executable: 'stoa', ...options });
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
async function bundle({ outdir, entries, executable, force = false }) {
  const existing = Object.entries(entries).filter(([, file]) =>
    fs.existsSync(path.join(root, file)),
  );
  if (existing.length === 0) return false;
  const target = path.join(root, outdir);
  const stampFile = path.join(target, '.bundle-stamp');
  const stamp = hashSources();
  if (!force && readOrEmpty(stampFile) === stamp) return false;

  const outputFiles = await build(outdir, Object.fromEntries(existing));
  write(target, outputFiles, new Set(existing.map(([name]) => `${name}.js`)), executable);
  fs.writeFileSync(stampFile, stamp);
  return true;
}

async function build(outdir, entryPoints) {
  // Loaded late: this module is also read before the dependencies are installed.
  const esbuild = await import('esbuild');
  try {
    const { outputFiles } = await esbuild.build({
      absWorkingDir: root,
      entryPoints,
      outdir,
      bundle: true,
      splitting: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      conditions: ['stoa-source'],
      external,
      sourcemap: true,
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'warning',
      entryNames: '[name]',
      chunkNames: 'chunk-[hash]',
      // CommonJS dependencies inside an ES module bundle still call require for Node's own modules.
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
    });
    return outputFiles;
  } finally {
    // Its service is a process of its own, which would otherwise live as long as the daemon.
    await esbuild.stop();
  }
}

// A daemon may be running from this directory: chunks (named by content) go first, entries last,
// each by rename; chunks of earlier builds stay for a day, because a running daemon loads lazily.
function write(target, outputFiles, entryNames, executable) {
  fs.mkdirSync(target, { recursive: true });
  const rank = (file) => (entryNames.has(path.basename(file.path)) ? 1 : 0);
  for (const file of [...outputFiles].sort((a, b) => rank(a) - rank(b))) {
    const temporary = `${file.path}.${process.pid}.tmp`;
    fs.writeFileSync(temporary, file.contents);
    if (path.basename(file.path) === `${executable}.js`) fs.chmodSync(temporary, 0o755);
    fs.renameSync(temporary, file.path);
  }
  const written = new Set(outputFiles.map((file) => path.basename(file.path)));
  for (const name of fs.readdirSync(target)) {
    const file = path.join(target, name);
    const isOld = Date.now() - fs.statSync(file).mtimeMs > dayInMs;
    if (name.startsWith('chunk-') && !written.has(name) && isOld) fs.rmSync(file);
  }
}

function hashSources() {
  const hash = createHash('sha256').update(process.version);
  for (const file of sourceFiles()) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(fs.readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function* sourceFiles() {
  yield path.join(root, 'package-lock.json');
  yield path.join(root, 'tsconfig.base.json');
  yield path.join(root, 'scripts/bundle.mjs');
  for (const name of fs.readdirSync(path.join(root, 'packages')).sort()) {
    yield* packageFiles(path.join(root, 'packages', name));
  }
  yield* packageFiles(path.join(root, 'bench'));
}

function* packageFiles(directory) {
  const manifest = path.join(directory, 'package.json');
  if (fs.existsSync(manifest)) yield manifest;
  const source = path.join(directory, 'src');
  if (!fs.existsSync(source)) return;
  const found = fs.readdirSync(source, { recursive: true, withFileTypes: true });
  yield* found
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function readOrEmpty(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
