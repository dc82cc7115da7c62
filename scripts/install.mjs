// `npm ci`, only when it is needed. The stamp in node_modules says which lockfile was installed for
// which Node: a native module compiled for one Node does not load in another.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { progress } from './progress.mjs';
import { root } from './root.mjs';

const stampFile = path.join(root, 'node_modules/.stoa-install');
const shownLines = 30;

class InstallError extends Error {
  name = 'InstallError';
}

export async function install() {
  const stamp = expectedStamp();
  if (readOrUndefined(stampFile) === stamp) return;
  // Somebody ran npm by hand: believe what is there if it is what the lockfile asks for and works.
  if (!matchesLockfile() || !nativeModuleLoads()) await runNpmCi();
  fs.writeFileSync(stampFile, stamp);
}

function expectedStamp() {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  const runtime = `${process.platform}-${process.arch}-${process.versions.modules}`;
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

function nativeModuleLoads() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;
}

async function runNpmCi() {
  const shown = progress('Installing dependencies');
  const output = [];
  let rest = '';
  const onOutput = (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    output.push(...lines);
    if (lines.some((line) => /\bnode-gyp\b|\bgyp (info|http)\b/.test(line))) {
      shown.update('Compiling SQLite, usually one to two minutes (no prebuilt binary to fetch)');
    }
  };

  // dev: the build tools are dev dependencies, whatever NODE_ENV says.
  // foreground-scripts: shows what the native build is doing, and why it failed.
  const { status, failure } = await npm(
    ['ci', '--include=dev', '--foreground-scripts', '--no-audit', '--no-fund'],
    onOutput,
  );

  if (status !== 0) {
    shown.cancel();
    throw new InstallError(
      `${excerpt([...output, rest])}\n\n${failure ?? `npm ci failed with exit code ${status}: see its output above.`}`,
    );
  }
  if (!nativeModuleLoads()) {
    shown.cancel();
    throw new InstallError(
      'The dependencies are installed, but better-sqlite3 does not load. Are install scripts switched ' +
        'off (npm config get ignore-scripts)? Then run: npm rebuild better-sqlite3 --ignore-scripts=false',
    );
  }
  shown.done('Installed dependencies');
}

/** npm states the cause first and often ends with a page of its usage: both ends are shown. */
function excerpt(lines) {
  const cause = lines.findIndex((line) => line.startsWith('npm error'));
  const tail = Math.max(0, lines.length - shownLines);
  if (cause === -1 || cause >= tail) return lines.slice(tail).join('\n').trimEnd();
  const head = lines.slice(cause, Math.min(cause + shownLines, tail));
  return [...head, '…', ...lines.slice(tail)].join('\n').trimEnd();
}

function npm(args, onOutput) {
  const script = process.env.npm_execpath;
  const [file, ...before] = script?.endsWith('.js') === true ? [process.execPath, script] : ['npm'];
  return new Promise((resolve) => {
    const child = spawn(file, [...before, ...args], {
      cwd: root,
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
      ended({ status: 1, failure: `npm could not be started: ${error.message}` });
    });
    child.on('close', (code, signal) => {
      if (signal === null) ended({ status: code });
      else ended({ status: 1, failure: `npm ci was ended by ${signal}.` });
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
