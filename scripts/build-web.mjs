// Builds the web UI with vite into packages/web/dist, from which the daemon serves it. Vite runs in its own process:
// `npm start` becomes the daemon, which must not keep the memory of a build.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { filesIn, hashOf, readOrEmpty } from './bundle.mjs';
import { Failure, root } from './run.mjs';

const directory = path.join(root, 'packages/web');
const dist = path.join(directory, 'dist');
const stampName = '.build-stamp';

const sources = [
  'package-lock.json',
  'scripts/build-web.mjs',
  'packages/client/src',
  'packages/web/index.html',
  'packages/web/package.json',
  'packages/web/src',
  'packages/web/vite.config.ts',
];

/** Returns whether anything was built: a build of the same sources is kept. */
export async function buildWeb() {
  const stamp = hashOf(sources.flatMap((source) => filesIn(path.join(root, source))));
  if (readOrEmpty(path.join(dist, stampName)) === stamp) return false;
  const built = fs.mkdtempSync(`${dist}-new-`);
  try {
    await runVite(built);
    fs.writeFileSync(path.join(built, stampName), stamp);
    replaceDist(built);
  } finally {
    fs.rmSync(built, { recursive: true, force: true });
  }
  return true;
}

async function runVite(outDir) {
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--logLevel', 'warn', '--outDir', outDir, '--emptyOutDir'];
  // Tests set another NODE_ENV, with which libraries are built for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  try {
    await promisify(execFile)(process.execPath, args, { cwd: directory, env });
  } catch ({ stdout, stderr }) {
    throw new Failure(`The web UI could not be built.\n${stdout}${stderr}`.trimEnd());
  }
}

/** By rename, because a daemon may read the directory; repeated if another process builds at the same time. */
function replaceDist(built) {
  fs.chmodSync(built, 0o755);
  for (;;) {
    const old = fs.mkdtempSync(`${dist}-old-`);
    try {
      if (fs.existsSync(dist)) fs.renameSync(dist, path.join(old, 'dist'));
      fs.renameSync(built, dist);
      return;
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    } finally {
      fs.rmSync(old, { recursive: true, force: true });
    }
  }
}
