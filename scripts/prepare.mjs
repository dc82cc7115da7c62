// What every command needs first: a supported Node, the dependencies of package-lock.json, and the built program. Takes
// a moment if nothing changed. Imports nothing but Node until the dependencies are installed.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { buildWeb } from './build-web.mjs';
import { builtParts, bundlePrograms } from './bundle.mjs';
import { startInstalling } from './install.mjs';
import { Failure, root } from './run.mjs';

const oldestNode = [20, 19];

export async function prepare() {
  const { compiled } = await startPreparing();
  await compiled?.();
}

/** Prepares everything except SQLite if that is still being compiled; `compiled` then waits for it (install.mjs). */
export async function startPreparing() {
  assertNode();
  const { compiled } = await startInstalling();
  await build();
  if (compiled === undefined) {
    await writeCodeCache();
    return {};
  }
  return {
    async compiled() {
      await compiled();
      await writeCodeCache();
    },
  };
}

/** For vitest: end-to-end tests start the program that is built from the sources under test. */
export async function setup() {
  await build();
  await writeCodeCache();
}

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Failure(
    `Stoa needs Node ${oldestNode.join('.')} or newer; this is Node ${process.versions.node} (${process.execPath}).`,
  );
}

async function build() {
  const started = performance.now();
  try {
    const built = await Promise.all([bundlePrograms(), buildWeb()]);
    const seconds = Math.round((performance.now() - started) / 1000);
    if (built.includes(true)) console.error(`Built Stoa in ${seconds} s`);
  } catch (error) {
    // esbuild has already printed each error with its position in the source.
    if (Array.isArray(error?.errors)) throw new Failure('Stoa could not be built.');
    throw error;
  }
}

/** Needs SQLite, because it starts a daemon (code-cache.mjs). Without the cache Stoa only starts more slowly. */
async function writeCodeCache() {
  if (Object.values(builtParts()).every((file) => fs.existsSync(`${file}.cache`))) return;
  // V8 refuses a cache that was made with other flags, and the user's settings of Stoa must not affect this daemon.
  const kept = Object.entries(process.env).filter(([name]) => !/^(STOA_|NODE_OPTIONS$)/.test(name));
  const options = { cwd: root, env: Object.fromEntries(kept), timeout: 60_000 };
  try {
    await promisify(execFile)(process.execPath, ['scripts/code-cache.mjs'], options);
  } catch (error) {
    console.warn(`Stoa will start more slowly: its code could not be compiled ahead.\n${error}`);
  }
}
