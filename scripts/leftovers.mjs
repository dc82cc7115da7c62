// Finds what a test run leaves behind: processes that it started, and directories that its tests made. Every run has its own
// directories (test-run.mjs), and every test file its own directory in each of them (test-file-setup.mjs). A process
// belongs to a run if its environment or working directory names one of these directories, or if its parent belongs to
// the run. Arguments do not count: an editor that opens a file of the run is not part of it. Processes are found in /proc; on a
// system without it only directories are found.
import fs from 'node:fs';
import path from 'node:path';

/** Maps the name of a directory to its test file, by a file of that name. */
const NAMES = 'files';

/** Names of directories that our tests make; other programs may leave files. */
const OURS = /^stoa-/;

const POLL_MS = 50;

/**
 * Makes the directories of one test file, one in each directory of the run; the first is for temporary files. Everyone may
 * pass through them, because root starts PostgreSQL as another user.
 * @param {string[]} directories of the run
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
 * @param {string[]} directories of the run
 * @param {{ graceMs?: number }} [options] how long processes may take to end
 * @returns {Promise<Leftover[]>}
 */
export async function leftovers(directories, { graceMs = 5_000 } = {}) {
  const processes = await remainingProcesses(directories, graceMs);
  const [run] = directories;
  const left = (name, entry) => ({ file: fileOf(run, name), what: `the directory ${entry}` });
  const ours = (directory) => namesIn(directory).filter((name) => OURS.test(name));
  const found = directories.flatMap((directory) => [
    ...ours(directory).map((entry) => left(undefined, entry)),
    ...namesIn(directory)
      .filter((name) => /^t\w{6}$/.test(name))
      .flatMap((name) => ours(path.join(directory, name)).map((entry) => left(name, entry))),
  ]);
  return [...processes, ...found];
}

/**
 * Ends every process of a run and removes its directories. It sends SIGTERM first, because a database that is killed leaves
 * its shared memory behind.
 */
export async function reap(directories, { graceMs = 2_000, killMs = 10_000 } = {}) {
  const processes = processesOf(directories);
  signal(processes, 'SIGTERM');
  // A stopped process handles SIGTERM only when it continues.
  signal(processes, 'SIGCONT');
  const deadline = Date.now() + killMs;
  let left = await remainingProcesses(directories, graceMs);
  while (left.length > 0 && Date.now() < deadline) {
    signal(left, 'SIGKILL');
    left = await remainingProcesses(directories, POLL_MS);
  }
  for (const directory of directories) {
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function remainingProcesses(directories, graceMs) {
  const deadline = Date.now() + graceMs;
  let processes = processesOf(directories);
  while (processes.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    processes = processesOf(directories);
  }
  return processes;
}

function signal(processes, name) {
  // A process may end before the signal.
  for (const { pid } of processes) attempt(() => process.kill(pid, name));
}

function processesOf(directories) {
  const living = new Map(namesIn('/proc').flatMap(readProcess));
  const ancestors = new Set();
  for (let pid = process.pid; pid > 0 && !ancestors.has(pid); pid = living.get(pid)?.parent ?? 0) {
    ancestors.add(pid);
  }
  const files = new Map();
  const fileOfProcess = (pid) => {
    const one = living.get(pid);
    if (one === undefined || ancestors.has(pid)) return undefined;
    if (!files.has(pid)) {
      files.set(pid, undefined);
      files.set(pid, markedFile(one.marks, directories) ?? fileOfProcess(one.parent));
    }
    return files.get(pid);
  };
  return [...living].flatMap(([pid, { command }]) => {
    const file = fileOfProcess(pid);
    return file === undefined ? [] : [{ file, what: `process ${pid}: ${command}`, pid }];
  });
}

/** The test file that started a process; undefined if its marks name no directory of the run. */
function markedFile(marks, directories) {
  // Text that follows each mention of a directory. A longer name is another directory.
  const tails = directories
    .flatMap((directory) => marks.split(directory).slice(1))
    .filter((tail) => !/^[\w.-]/.test(tail));
  if (tails.length === 0) return undefined;
  const named = /(?:^|\0)STOA_TEST_FILE=([^\0]*)/.exec(marks)?.[1];
  const names = tails.map((tail) => /^\/(t\w{6})(?!\w)/.exec(tail)?.[1]);
  return named ?? fileOf(directories[0], names.find(Boolean));
}

/** A living process with its parent, and what marks it: environment and working directory. */
function readProcess(pid) {
  if (!/^\d+$/.test(pid)) return [];
  const read = (name) => attempt(() => fs.readFileSync(`/proc/${pid}/${name}`, 'utf8')) ?? '';
  const stat = read('stat');
  const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (/^[ZX]?$/.test(state)) return [];
  const directory = attempt(() => fs.readlinkSync(`/proc/${pid}/cwd`)) ?? '';
  const marks = `${read('environ')}\0${directory}`;
  const command = read('cmdline').replaceAll(/[\s\0]+/g, ' ');
  return [[Number(pid), { parent: Number(parent), marks, command: command.trim().slice(0, 200) }]];
}

function fileOf(run, name = '') {
  return (
    attempt(() => fs.readFileSync(path.join(run, NAMES, name), 'utf8')) ?? 'the set-up of the run'
  );
}

const namesIn = (directory) => attempt(() => fs.readdirSync(directory)) ?? [];

/** The result, or undefined if it fails. */
function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}
