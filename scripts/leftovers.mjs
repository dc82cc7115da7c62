// What a test run leaves behind: processes that it started, and directories that its tests made. The runner gives
// every run a directory (STOA_TEST_RUN in the environment); scripts/vitest-marks.mjs gives every test file a
// temporary directory in it, so that a path or an environment says which file it comes from.
import fs from 'node:fs';
import path from 'node:path';

/** Where a test file is noted by its temporary directory. */
const NAMES = 'files';

/** How directories of tests are called; other programs may keep files of their own. */
const OURS = /^stoa-/;

/** The temporary directory of one test file. */
export function markFile(run, file) {
  const directory = fs.mkdtempSync(path.join(run, 't'));
  fs.mkdirSync(path.join(run, NAMES), { recursive: true });
  fs.writeFileSync(path.join(run, NAMES, path.basename(directory)), file);
  return directory;
}

/**
 * @typedef {{ file: string, what: string, pid?: number }} Leftover
 * @param {string} run the directory of the run
 * @param {{ graceMs?: number }} [options] how long processes may take to end
 * @returns {Promise<Leftover[]>}
 */
export async function leftovers(run, { graceMs = 5_000 } = {}) {
  const until = Date.now() + graceMs;
  let processes = processesOf(run);
  while (processes.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    processes = processesOf(run);
  }
  return [...processes, ...directoriesOf(run)];
}

/** Ends what is left, so that it is reported once and does not disturb the next run. */
export function removeLeftovers(left) {
  for (const { pid } of left) {
    if (pid === undefined) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

function directoriesOf(run) {
  const names = fs.existsSync(run) ? fs.readdirSync(run) : [];
  return names
    .filter((name) => /^t\w{6}$/.test(name))
    .flatMap((name) =>
      fs
        .readdirSync(path.join(run, name))
        .filter((entry) => OURS.test(entry))
        .map((entry) => ({ file: fileOf(run, name), what: `the directory ${entry}` })),
    );
}

/** Where there is no /proc, processes are not looked for. */
function processesOf(run) {
  if (!fs.existsSync('/proc/self/environ')) return [];
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).flatMap((pid) => {
    if (pid === process.pid || isAncestor(pid)) return [];
    const marks = readProcess(pid);
    if (!marks?.text.includes(run)) return [];
    const [, behind = ''] = marks.text.split(`${run}/t`, 2);
    const name = /^\w{6}(?=[/\0]|$)/.exec(behind)?.[0];
    const file = /(?:^|\0)STOA_TEST_FILE=([^\0]*)/.exec(marks.text)?.[1];
    return [
      {
        file: file ?? fileOf(run, name && `t${name}`),
        what: `process ${pid}: ${marks.command}`,
        pid,
      },
    ];
  });
}

/** The environment, arguments and directory of a process; nothing once it has ended. */
function readProcess(pid) {
  try {
    if (/^State:\s+[ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))) return undefined;
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
    const directory = fs.readlinkSync(`/proc/${pid}/cwd`);
    const text = [environment, command, directory].join('\0');
    return { text, command: command.replaceAll('\0', ' ').trim().slice(0, 200) };
  } catch {
    return undefined;
  }
}

/** The processes that wait for this one are not left over. */
function isAncestor(pid) {
  for (let at = process.ppid; at > 1; ) {
    if (at === pid) return true;
    try {
      const stat = fs.readFileSync(`/proc/${at}/stat`, 'utf8');
      at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      return false;
    }
  }
  return false;
}

function fileOf(run, name) {
  try {
    return fs.readFileSync(path.join(run, NAMES, name ?? ''), 'utf8');
  } catch {
    return 'the setup of the run';
  }
}
