// Builds the web UI with vite into packages/web/dist, where the daemon looks for it. In a process of its
// own: `npm start` becomes the daemon, which has no use for what a build leaves behind.
import fs from 'node:fs';
import path from 'node:path';
import { filesIn, hashOf, readOrEmpty } from './bundle.mjs';
import { capture, root } from './run.mjs';

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
  const files = sources.flatMap((source) => filesIn(path.join(root, source)));
  const stamp = hashOf(files);
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
  const { status, output } = await capture([vite, 'build', ...options], {
    cwd: directory,
    // Not the environment of tests, in which libraries are built for development.
    env: { ...process.env, NODE_ENV: 'production' },
  });
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
