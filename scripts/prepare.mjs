// What every command needs first: the right Node, the dependencies of package-lock.json, and the
// bundled program. Quiet and instant when nothing changed. Uses nothing but Node.
import { buildWeb, WebBuildError } from './build-web.mjs';
import { bundlePrograms } from './bundle.mjs';
import { cachePrograms } from './code-cache.mjs';
import { startInstalling } from './install.mjs';
import { progress } from './run.mjs';

const oldestNode = [20, 19];

export async function prepare() {
  const { compiled } = await startPreparing();
  await compiled?.();
}

/** All but SQLite, where that is still being compiled: see install.mjs. */
export async function startPreparing() {
  assertNode();
  const { compiled } = await startInstalling();
  await build();
  if (compiled === undefined) {
    await cachePrograms();
    return {};
  }
  return {
    async compiled() {
      await compiled();
      await cachePrograms();
    },
  };
}

/** For vitest: end-to-end tests start the program that is built from the sources under test. */
export async function setup() {
  await Promise.all([bundlePrograms(), buildWeb()]);
  await cachePrograms();
}

/** Runs a command's main function; an expected failure is a sentence, not a stack trace. */
export async function command(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    const expected = error instanceof PrepareError || error?.name === 'InstallError';
    console.error(expected ? error.message : error);
    process.exitCode = 1;
  }
}

class PrepareError extends Error {}

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [needMajor, needMinor] = oldestNode;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  throw new PrepareError(
    `Stoa needs Node ${oldestNode.join('.')} or newer; this is Node ${process.versions.node} (${process.execPath}).`,
  );
}

async function build() {
  const shown = progress('Building Stoa', { after: 300 });
  try {
    const built = await Promise.all([bundlePrograms(), buildWeb()]);
    if (built.includes(true)) shown.done('Built Stoa');
    else shown.cancel();
  } catch (error) {
    shown.cancel();
    // esbuild has already printed each error with its place in the source.
    if (Array.isArray(error?.errors)) throw new PrepareError('Stoa could not be built.');
    if (error instanceof WebBuildError) throw new PrepareError(error.message);
    throw error;
  }
}
