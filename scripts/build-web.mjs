// Builds the web UI with vite into packages/web/dist, where the daemon looks for it. In a process of its
// own: `npm start` becomes the daemon, which has no use for what a build leaves behind.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './root.mjs';

const directory = path.join(root, 'packages/web');
const dist = path.join(directory, 'dist');
const stampName = '.build-stamp';

/** What it is made of, besides the versions in the lockfile. */
const sources = [
  'package-lock.json',
  'scripts/build-web.mjs',
  'packages/client/src',
  'packages/web/index.html',
  'packages/web/package.json',
  'packages/web/src',
  'packages/web/vite.config.ts',
];

/** Returns whether anything was built: what was made of the same sources is left alone. */
export async function buildWeb({ force = false } = {}) {
  const stamp = hashSources();
  if (!force && readOrEmpty(path.join(dist, stampName)) === stamp) return false;
  const made = fs.mkdtempSync(`${dist}-new-`);
  try {
    await build(made);
    fs.writeFileSync(path.join(made, stampName), stamp);
    putInPlace(made);
  } finally {
    fs.rmSync(made, { recursive: true, force: true });
  }
  return true;
}

async function build(into) {
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  const options = ['--logLevel', 'warn', '--outDir', into, '--emptyOutDir'];
  const { status, output } = await run([vite, 'build', ...options]);
  if (status !== 0) throw new WebBuildError(`The web UI could not be built.\n${output.trimEnd()}`);
}

/** All of it at once: a daemon may be reading it, and somebody else may be building it too. */
function putInPlace(made) {
  fs.chmodSync(made, 0o755);
  for (;;) {
    const old = fs.mkdtempSync(`${dist}-old-`);
    try {
      if (fs.existsSync(dist)) fs.renameSync(dist, path.join(old, 'dist'));
      fs.renameSync(made, dist);
      return;
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    } finally {
      fs.rmSync(old, { recursive: true, force: true });
    }
  }
}

export class WebBuildError extends Error {}

function run(args) {
  return new Promise((resolve, reject) => {
    // Not the environment of tests, in which libraries are built for development.
    const env = { ...process.env, NODE_ENV: 'production' };
    const child = spawn(process.execPath, args, {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output }));
  });
}

function hashSources() {
  const hash = createHash('sha256').update(process.version);
  for (const file of sources.flatMap((source) => filesOf(path.join(root, source)))) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(fs.readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesOf(place) {
  if (fs.statSync(place).isFile()) return [place];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
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
