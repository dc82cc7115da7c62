// `npm ci` and the scripts of what it installs, only when it is needed. The stamp in node_modules says which lockfile was installed for
// which Node: a native module compiled for one Node does not load in another. Where Node's own SQLite is used nothing is compiled.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { progress, root } from './run.mjs';
import { sqliteBinding } from './sqlite-binding.mjs';

const stampFile = path.join(root, 'node_modules/.stoa-install');
const shownLines = 30;
const native = 'better-sqlite3';
const binding = sqliteBinding();
const buildLog = path.join(root, 'node_modules/.stoa-sqlite-build.log');
/** Instead of a stamp: what was begun here did not get to its end. */
const begun = 'begun\n';

class InstallError extends Error {
  name = 'InstallError';
}

/**
 * Installs all but better-sqlite3, whose compiler keeps one core busy for more than a minute. Where there is
 * a `compiled`, it waits for that; whoever has something to do that needs no SQLite does it before.
 */
export async function startInstalling() {
  const stamp = expectedStamp();
  const found = readOrUndefined(stampFile);
  if (found === stamp) return {};
  // Somebody ran npm by hand: believe what is there if it is what the lockfile asks for and works.
  if (
    found !== begun &&
    matchesLockfile() &&
    (binding !== native || whyNotLoaded() === undefined)
  ) {
    fs.writeFileSync(stampFile, stamp);
    return {};
  }
  await runNpm(['ci', '--ignore-scripts'], 'Installing dependencies', 'Installed dependencies');
  fs.writeFileSync(stampFile, begun);
  if (binding !== native) {
    // Nothing may load it by accident: on some Nodes it aborts the process.
    fs.rmSync(path.join(root, 'node_modules', native), { recursive: true, force: true });
    await runNpm(['rebuild', ...withQuickScripts()], 'Setting them up', 'Set them up');
    fs.writeFileSync(stampFile, stamp);
    return {};
  }
  const compiling = startNpm(['rebuild', native], compilerSettings());
  await runNpm(['rebuild', ...withQuickScripts()], 'Setting them up', 'Set them up');
  return {
    async compiled() {
      const shown = progress('Compiling SQLite, one to two minutes (nothing prebuilt to fetch)');
      await assertCompiled(compiling, shown);
      shown.done('Compiled SQLite');
      fs.writeFileSync(stampFile, stamp);
    },
  };
}

function expectedStamp() {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  const runtime = `${process.platform}-${process.arch}-${process.versions.modules}-${binding}`;
  return `${createHash('sha256').update(lock).digest('hex')} ${runtime}\n`;
}

/** npm keeps its own record of what it put into node_modules. */
function matchesLockfile() {
  const installed = readPackages('node_modules/.package-lock.json');
  const wanted = readPackages('package-lock.json');
  if (installed === undefined || wanted === undefined) return false;
  for (const [location, entry] of Object.entries(wanted)) {
    if (!location.startsWith('node_modules/')) continue;
    const found = installed[location];
    if (found === undefined ? !entry.optional : found.integrity !== entry.integrity) return false;
  }
  return true;
}

function readPackages(file) {
  const text = readOrUndefined(path.join(root, file));
  return text === undefined ? undefined : JSON.parse(text).packages;
}

/** What Node says when it loads the native module; undefined when that works. */
function whyNotLoaded() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] };
  const { status, stderr } = spawnSync(process.execPath, ['-e', probe], options);
  return status === 0 ? undefined : stderr;
}

/** All dependencies with a script but the one that compiles; theirs take a moment. */
function withQuickScripts() {
  const { allowScripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return Object.keys(allowScripts).filter(
    (name) => name !== native && fs.existsSync(path.join(root, 'node_modules', name)),
  );
}

async function runNpm(args, label, result) {
  const shown = progress(label);
  await assertDone(startNpm(args), shown);
  shown.done(result);
}

/**
 * At -O1 SQLite takes a twentieth more of the processor than at the -O3 of its build file, which next to
 * the disk is little, and is compiled in half the time, which everybody waits for who starts here. What
 * binds it to Node is compiled beside it.
 */
function compilerSettings() {
  const { CFLAGS = '', npm_config_jobs = 'max' } = process.env;
  return { CFLAGS: `-O1 ${CFLAGS}`.trimEnd(), npm_config_jobs };
}

/** What npm has been asked for, and all it said until it ended. */
function startNpm(args, environment = {}) {
  const output = [];
  // dev: the build tools are dev dependencies, whatever NODE_ENV says.
  // foreground-scripts: shows what the native build is doing, and why it failed.
  const options = ['--include=dev', '--foreground-scripts', '--no-audit', '--no-fund'];
  const ended = npm([...args, ...options], environment, (chunk) => output.push(chunk));
  return { command: `npm ${args[0]}`, ended, output };
}

async function assertDone({ command, ended, output }, shown) {
  const { status, failure } = await ended;
  if (status === 0) return;
  shown.cancel();
  const why = failure ?? `failed with exit code ${status}: see its output above.`;
  throw new InstallError(`${excerpt(output.join('').split('\n'))}\n\n${command} ${why}`);
}

/** npm may end well although an optional package could not be built: what counts is whether it loads. */
async function assertCompiled({ ended, output }, shown) {
  const { failure } = await ended;
  const loading = whyNotLoaded();
  if (loading === undefined) return;
  shown.cancel();
  const log = [...output, failure ?? ''].join('');
  fs.writeFileSync(buildLog, `${log}\n${loading}`);
  throw new InstallError(explainSqliteBuild({ log, loading, logFile: buildLog }));
}

/** npm states the cause first and often ends with a page of its usage: both ends are shown. */
function excerpt(lines) {
  const cause = lines.findIndex((line) => line.startsWith('npm error'));
  const tail = Math.max(0, lines.length - shownLines);
  if (cause === -1 || cause >= tail) return lines.slice(tail).join('\n').trimEnd();
  const head = lines.slice(cause, Math.min(cause + shownLines, tail));
  return [...head, '…', ...lines.slice(tail)].join('\n').trimEnd();
}

function npm(args, environment, onOutput) {
  const script = process.env.npm_execpath;
  const [file, ...before] = script?.endsWith('.js') === true ? [process.execPath, script] : ['npm'];
  return new Promise((resolve) => {
    const child = spawn(file, [...before, ...args], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: file === 'npm' && process.platform === 'win32',
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', onOutput);
    }
    // In a terminal Ctrl-C reaches npm by itself; a signal sent to us alone must not orphan it.
    const forward = (signal) => child.kill(signal);
    process.once('SIGTERM', forward);
    const ended = (outcome) => {
      process.off('SIGTERM', forward);
      resolve(outcome);
    };
    child.on('error', (error) => {
      ended({ status: 1, failure: `could not be started: ${error.message}` });
    });
    child.on('close', (code, signal) => {
      if (signal === null) ended({ status: code });
      else ended({ status: 1, failure: `was ended by ${signal}.` });
    });
  });
}

function readOrUndefined(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The first pattern that is found in the log, or in what loading the result said, names the cause. */
const causes = [
  {
    pattern: /Could not find any Python installation/,
    missing: 'Python 3 is not installed',
    install: 'install it with a C++ compiler and make',
  },
  {
    pattern: /not found: make\b|\bmake: (?:command )?not found|spawn make ENOENT/,
    missing: 'make is not installed',
    install: 'install make and a C++ compiler',
  },
  {
    pattern:
      /\b(?:g\+\+|c\+\+|gcc|cc|clang(?:\+\+)?)(?:-\d+)?: (?:No such file or directory|(?:command )?not found)|find Visual Studio|No Xcode or CLT/,
    missing: 'there is no C++ compiler',
    install: 'install one',
  },
  {
    pattern: /common\.gypi not found|fatal error: '?node(?:_api|_version)?\.h'?/,
    missing: 'the directory that npm_config_nodedir names has no headers of Node',
    install: 'unset it or let it name where Node is installed',
  },
  {
    pattern: /got an error, rolling back install/,
    missing: 'the headers of Node could not be fetched from nodejs.org',
    install: 'let npm_config_nodedir name a directory that has them in include/node',
  },
  {
    pattern:
      /NODE_MODULE_VERSION|\bv8(?:-[a-z-]+)?(?:\.h|::)[^\n]*\n?[^\n]*\berror:|\berror:[^\n]*\bv8::/i,
    missing: 'the headers that it was compiled with are of another Node',
    install: 'let npm_config_nodedir name where this Node is installed',
  },
];

const unknown = {
  missing: 'the build failed',
  install: 'repair what the log names',
};

const notBuilt = {
  missing: 'npm ran no build (npm config get ignore-scripts)',
  install: 'run npm rebuild better-sqlite3 --ignore-scripts=false',
};

/** `log`: what the build said; `loading`: what was said when its result was loaded. */
function explainSqliteBuild({ log, loading, logFile, node = process.versions.node }) {
  const { missing, install } = causeOf(log, loading);
  return (
    `SQLite could not be compiled for Node ${node} because ${missing}: ${install}, ` +
    `or use Node 22.13 or newer, which has SQLite built in (the log of the build: ${logFile}).`
  );
}

function causeOf(log, loading) {
  const found = causes.find(({ pattern }) => pattern.test(log) || pattern.test(loading));
  if (found !== undefined) return found;
  return /\bgyp\b|error/i.test(log) ? unknown : notBuilt;
}
