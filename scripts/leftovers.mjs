// What a test run leaves behind: processes that it started, and directories that its tests made. The runner gives
// every run directories of its own (test-run.mjs); scripts/vitest-marks.mjs gives every test file a directory in each
// of them, so that an environment or a working directory says which file a process comes from.
import fs from 'node:fs';
import path from 'node:path';

/** Where a test file is noted by its temporary directory. */
const NAMES = 'files';

/** How directories of tests are called; other programs may keep files of their own. */
const OURS = /^stoa-/;

const OF_A_FILE = /^t\w{6}$/;

const POLL_MS = 50;

/**
 * The directories of one test file, one in each of the run's; the first is for temporary files. Anybody may pass
 * through them: root starts PostgreSQL as another user.
 * @param {string[]} directories those of the run
 * @param {string} file
 * @returns {string[]}
 */
export function markFile(directories, file) {
  const [first, ...others] = directories;
  const directory = fs.mkdtempSync(path.join(first, 't'));
  const name = path.basename(directory);
  const own = [directory, ...others.map((other) => path.join(other, name))];
  for (const one of own) {
    fs.mkdirSync(one, { recursive: true });
    fs.chmodSync(one, 0o755);
  }
  fs.mkdirSync(path.join(first, NAMES), { recursive: true });
  fs.writeFileSync(path.join(first, NAMES, name), file);
  return own;
}

/**
 * @typedef {{ file: string, what: string, pid?: number }} Leftover
 * @param {string[]} directories those of the run
 * @param {{ graceMs?: number }} [options] how long processes may take to end
 * @returns {Promise<Leftover[]>}
 */
export async function leftovers(directories, { graceMs = 5_000 } = {}) {
  const processes = await remaining(directories, graceMs);
  return [...processes, ...directoriesOf(directories)];
}

/**
 * Ends every process of a run and removes its directories. Processes are asked with SIGTERM first: a database that is
 * killed leaves its shared memory behind.
 */
export async function reap(directories, { graceMs = 2_000, killMs = 10_000 } = {}) {
  const processes = processesOf(directories);
  signal(processes, 'SIGTERM');
  // A stopped process acts on it only when it continues.
  signal(processes, 'SIGCONT');
  const until = Date.now() + killMs;
  let left = await remaining(directories, graceMs);
  while (left.length > 0 && Date.now() < until) {
    signal(left, 'SIGKILL');
    left = await remaining(directories, POLL_MS);
  }
  for (const directory of directories) {
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function remaining(directories, graceMs) {
  const until = Date.now() + graceMs;
  let processes = processesOf(directories);
  while (processes.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    processes = processesOf(directories);
  }
  return processes;
}

function signal(processes, name) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

function directoriesOf(directories) {
  const [first] = directories;
  return directories.flatMap((directory) =>
    namesIn(directory).flatMap((name) => {
      if (OURS.test(name)) return [leftDirectory(first, undefined, name)];
      if (!OF_A_FILE.test(name)) return [];
      const entries = namesIn(path.join(directory, name)).filter((entry) => OURS.test(entry));
      return entries.map((entry) => leftDirectory(first, name, entry));
    }),
  );
}

const namesIn = (directory) => (fs.existsSync(directory) ? fs.readdirSync(directory) : []);

const leftDirectory = (run, name, entry) => ({
  file: fileOf(run, name),
  what: `the directory ${entry}`,
});

/**
 * The processes of a run: those with one of its directories in their environment or as their working directory, and
 * their descendants. Arguments do not count: somebody who looks at a file of the run is not part of it. Where there is
 * no /proc, processes are not looked for.
 */
function processesOf(directories) {
  if (!fs.existsSync('/proc/self/environ')) return [];
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const living = new Map(pids.map(Number).flatMap(readProcess));
  const waiting = ancestorsOf(process.pid, living);
  const marks = new Map();
  const fileOfProcess = (pid) => {
    const one = living.get(pid);
    if (one === undefined || waiting.has(pid)) return undefined;
    if (!marks.has(pid)) {
      marks.set(pid, undefined);
      marks.set(pid, markedFile(one.text, directories) ?? fileOfProcess(one.parent));
    }
    return marks.get(pid);
  };
  return [...living].flatMap(([pid, { command }]) => {
    const file = fileOfProcess(pid);
    return file === undefined ? [] : [{ file, what: `process ${pid}: ${command}`, pid }];
  });
}

/** The test file that a process comes from; undefined where nothing about it names a directory of the run. */
function markedFile(text, directories) {
  const found = directories.flatMap((directory) => tailsBehind(text, directory));
  if (found.length === 0) return undefined;
  const told = /(?:^|\0)STOA_TEST_FILE=([^\0]*)/.exec(text)?.[1];
  const names = found.map((tail) => /^\/(t\w{6})(?!\w)/.exec(tail)?.[1]);
  return told ?? fileOf(directories[0], names.find(Boolean));
}

/** What follows each mention of a directory; a longer name is that of another one. */
function tailsBehind(text, directory) {
  const [, ...tails] = text.split(directory);
  return tails.filter((tail) => !/^[\w.-]/.test(tail));
}

/** A living process with its parent, and what may mark it: environment and working directory. */
function readProcess(pid) {
  const stat = readOr('', () => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (/^[ZX]?$/.test(state)) return [];
  const command = readOr('', () => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  const environment = readOr('', () => fs.readFileSync(`/proc/${pid}/environ`, 'utf8'));
  const directory = readOr('', () => fs.readlinkSync(`/proc/${pid}/cwd`));
  const one = {
    parent: Number(parent),
    text: [environment, directory].join('\0'),
    command: command
      .replaceAll(/[\s\0]+/g, ' ')
      .trim()
      .slice(0, 200),
  };
  return [[pid, one]];
}

/** This process and whoever waits for it are not left over. */
function ancestorsOf(pid, living) {
  const found = new Set();
  for (let at = pid; at > 0 && !found.has(at); at = living.get(at)?.parent ?? 0) found.add(at);
  return found;
}

function fileOf(run, name) {
  return readOr('the setup of the run', () =>
    fs.readFileSync(path.join(run, NAMES, name ?? ''), 'utf8'),
  );
}

function readOr(otherwise, read) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
