// Installs the dependencies when package-lock.json changed: `npm ci`, then the install scripts that package.json allows. A
// stamp in node_modules names the lockfile and the Node of the installation: a native module that is compiled for one
// Node does not load in another. better-sqlite3 is compiled only for a Node without a safe SQLite of its own. That takes
// more than a minute on one core, so the caller may do other work before it waits for it. If it fails, the
// user gets one sentence that names what is missing, and the log in a file.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { Failure, root, step } from './run.mjs';

const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.stoa-install');
const buildLog = path.join(modules, '.stoa-sqlite-build.log');
/** The stamp of an installation that has not ended. */
const begun = 'begun\n';
const native = 'better-sqlite3';

/** Installs everything except better-sqlite3. If that is being compiled, the caller has to await `compiled()`. */
export async function startInstalling() {
  const binding = sqliteBinding();
  const stamp = expectedStamp(binding);
  const found = readOrUndefined(stampFile);
  if (found === stamp) return {};
  const finish = () => fs.writeFileSync(stampFile, stamp);
  // The user may have run npm: keep what is installed if it is what the lockfile names and works.
  if (found !== begun && matchesLockfile() && (binding !== native || loadError() === undefined)) {
    finish();
    return {};
  }
  await runNpm('Installing dependencies', ['ci', '--ignore-scripts']);
  fs.writeFileSync(stampFile, begun);
  const compiling = binding === native ? npm(['rebuild', native], compilerSettings()) : undefined;
  // Nothing may load it by accident: on some versions of Node it aborts the process.
  if (!compiling) fs.rmSync(path.join(modules, native), { recursive: true, force: true });
  await runNpm('Running install scripts', ['rebuild', ...otherInstallScripts()]);
  if (!compiling) {
    finish();
    return {};
  }
  return {
    async compiled() {
      await step('Compiling SQLite, one to two minutes', async () => assertLoads(await compiling));
      finish();
    },
  };
}

/**
 * The SQLite that this Node uses; `undefined` if there is none, which the program explains when it starts. The program decides
 * it in packages/store/src/sqlite/binding/choose-binding.ts, which is not built yet; a test there compares the two.
 */
export function sqliteBinding({ node, builtin } = thisRuntime()) {
  const hasOwn = builtin !== undefined && isAtLeast(node, '22.13.0');
  if (hasOwn && isAtLeast(builtin, '3.51.3')) return 'node:sqlite';
  return isAtLeast(node, '24.19.0') ? undefined : native;
}

function thisRuntime() {
  const { node, sqlite } = process.versions;
  return { node, builtin: isBuiltin('node:sqlite') ? sqlite : undefined };
}

function isAtLeast(version, needed) {
  const found = version.split('.').map((part) => Number.parseInt(part, 10));
  const least = needed.split('.').map(Number);
  const at = least.findIndex((part, i) => (found[i] ?? 0) !== part);
  return at === -1 || (found[at] ?? 0) > least[at];
}

function expectedStamp(binding) {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  const runtime = `${process.platform}-${process.arch}-${process.versions.modules}-${binding}`;
  return `${createHash('sha256').update(lock).digest('hex')} ${runtime}\n`;
}

/** Compares the lockfile with npm's own record of what it installed. */
function matchesLockfile() {
  const record = readOrUndefined(path.join(modules, '.package-lock.json'));
  if (record === undefined) return false;
  const installed = JSON.parse(record).packages;
  const wanted = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([location, entry]) => {
    if (!location.startsWith('node_modules/')) return true;
    const found = installed[location];
    return found === undefined ? entry.optional : found.integrity === entry.integrity;
  });
}

function otherInstallScripts() {
  const { allowScripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return Object.keys(allowScripts).filter(
    (name) => name !== native && fs.existsSync(path.join(modules, name)),
  );
}

/**
 * With -O1 SQLite compiles in half the time of the -O3 of its build file, and uses a twentieth more processor time, which is
 * little beside the disk. Its binding to Node is compiled in parallel.
 */
function compilerSettings() {
  const { CFLAGS = '', npm_config_jobs = 'max' } = process.env;
  return { CFLAGS: `-O1 ${CFLAGS}`.trimEnd(), npm_config_jobs };
}

async function runNpm(label, args) {
  const { error, output } = await step(label, () => npm(args));
  if (!error) return;
  const lines = output.trimEnd().split('\n');
  const causes = lines.filter((line) => line.startsWith('npm error'));
  const shown = causes.length > 0 ? causes.slice(0, 30) : lines.slice(-30);
  const ending = error.signal ?? `exit code ${error.code}`;
  throw new Failure(`${shown.join('\n')}\n\nnpm ${args[0]} failed: ${ending}`);
}

/** Resolves to the error, if it failed, and everything it printed. */
function npm(args, environment = {}) {
  const script = process.env.npm_execpath;
  const [file, ...before] = script?.endsWith('.js') === true ? [process.execPath, script] : ['npm'];
  // include=dev: NODE_ENV may be `production`, but the build tools are dev dependencies.
  // foreground-scripts: the output of the native build explains why it failed.
  const options = ['--include=dev', '--foreground-scripts', '--no-audit', '--no-fund'];
  return new Promise((resolve) => {
    const child = execFile(
      file,
      [...before, ...args, ...options],
      { cwd: root, env: { ...process.env, ...environment }, maxBuffer: Number.POSITIVE_INFINITY },
      (error, stdout, stderr) => {
        process.off('SIGTERM', forward);
        resolve({ error, output: `${stdout}${stderr}` });
      },
    );
    child.stdin?.end();
    // In a terminal Ctrl-C reaches npm; a signal that only this process receives must end npm too.
    const forward = (signal) => child.kill(signal);
    process.once('SIGTERM', forward);
  });
}

/** npm may succeed although an optional package was not built: only loading it shows. */
function assertLoads({ error, output }) {
  const loading = loadError();
  if (loading === undefined) return;
  const log = `${output}${error?.code === 'ENOENT' ? error.message : ''}`;
  fs.writeFileSync(buildLog, `${log}\n${loading}`);
  const [, missing, solution] =
    causes.find(([pattern]) => pattern.test(log) || pattern.test(loading)) ??
    (/\bgyp\b|error/i.test(log) ? unknownCause : notBuilt);
  throw new Failure(
    `SQLite could not be compiled for Node ${process.versions.node} because ${missing}: ${solution}, ` +
      `or use Node 22.13 or newer, which has SQLite built in (the log of the build: ${buildLog}).`,
  );
}

/** What Node prints when the native module does not load. */
function loadError() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  const options = { cwd: root, encoding: 'utf8' };
  const { status, stderr } = spawnSync(process.execPath, ['-e', probe], options);
  return status === 0 ? undefined : stderr;
}

/** What the log of the build, or the error of loading its result, contains; what is missing; what to do. */
const causes = [
  [
    /Could not find any Python installation/,
    'Python 3 is not installed',
    'install it with a C++ compiler and make',
  ],
  [
    /not found: make\b|\bmake: (?:command )?not found|spawn make ENOENT/,
    'make is not installed',
    'install make and a C++ compiler',
  ],
  [
    /\b(?:g\+\+|c\+\+|gcc|cc|clang(?:\+\+)?)(?:-\d+)?: (?:No such file or directory|(?:command )?not found)|find Visual Studio|No Xcode or CLT/,
    'there is no C++ compiler',
    'install one',
  ],
  [
    /common\.gypi not found|fatal error: '?node(?:_api|_version)?\.h'?/,
    'the directory that npm_config_nodedir names has no headers of Node',
    'unset it or set it to the directory of your Node installation',
  ],
  [
    /got an error, rolling back install/,
    'the headers of Node could not be fetched from nodejs.org',
    'set npm_config_nodedir to a directory that has them in include/node',
  ],
  [
    /NODE_MODULE_VERSION|\bv8(?:-[a-z-]+)?(?:\.h|::)[^\n]*\n?[^\n]*\berror:|\berror:[^\n]*\bv8::/i,
    'the headers that it was compiled with are of another Node',
    'set npm_config_nodedir to the directory of this Node installation',
  ],
];
const unknownCause = [/./, 'the build failed', 'repair what the log names'];
const notBuilt = [
  /./,
  'npm ran no build (npm config get ignore-scripts)',
  'run npm rebuild better-sqlite3 --ignore-scripts=false',
];

function readOrUndefined(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}
