import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';

/** What commands of agents are kept from, for people to know. */
export interface SandboxReport {
  readonly kind: 'bubblewrap' | 'none';
  /** Whether commands see, and could signal, processes other than their own. */
  readonly processes: 'separate' | 'shared';
  readonly hidesHome: boolean;
  /** In words: what holds, and why nothing better does. */
  readonly summary: string;
}

export interface SandboxOptions {
  /** The directory that commands must not see. */
  readonly home: string;
  /** Where bubblewrap is; found on the PATH unless told, and not used when null. */
  readonly bubblewrap?: string | null;
}

const PROBE_MS = 5_000;

/** Root keeps what it needs to work on files, and not what would undo the sandbox. */
const DROPPED_CAPABILITIES = [
  'CAP_SYS_ADMIN',
  'CAP_SYS_PTRACE',
  'CAP_SYS_MODULE',
  'CAP_SYS_RAWIO',
  'CAP_DAC_READ_SEARCH',
  'CAP_MKNOD',
];

interface Probed {
  readonly report: SandboxReport;
  /** What is put before a command. */
  readonly prefix: readonly string[];
}

/**
 * Keeps commands from the daemon's directory, where the system offers a way. What it offers is tried
 * once, by hiding the directory from a command and looking.
 */
export class Sandbox {
  #probed: Promise<Probed> | undefined;

  constructor(private readonly options: SandboxOptions) {}

  async report(): Promise<SandboxReport> {
    return (await this.#probe()).report;
  }

  /** The command as it is started, with these variables for itself but not for what surrounds it. */
  async wrap(
    argv: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<string[]> {
    const { prefix, report } = await this.#probe();
    const pairs = Object.entries(variables);
    if (report.kind === 'bubblewrap') {
      return [
        ...prefix,
        ...pairs.flatMap(([name, value]) => ['--setenv', name, value]),
        '--',
        ...argv,
      ];
    }
    if (pairs.length === 0) return [...argv];
    return ['/usr/bin/env', ...pairs.map(([name, value]) => `${name}=${value}`), ...argv];
  }

  #probe(): Promise<Probed> {
    this.#probed ??= probe(this.options);
    return this.#probed;
  }
}

async function probe({ home, bubblewrap = 'bwrap' }: SandboxOptions): Promise<Probed> {
  if (bubblewrap === null) return without('it is turned off');
  const hidden = await fs.realpath(home).catch(() => home);
  const separate = prefixOf(bubblewrap, hidden, 'separate');
  const first = await hides(separate, hidden);
  if (first === undefined) return { prefix: separate, report: REPORTS.separate };
  const shared = prefixOf(bubblewrap, hidden, 'shared');
  const second = await hides(shared, hidden);
  if (second === undefined) return { prefix: shared, report: REPORTS.shared };
  return without(second);
}

function prefixOf(program: string, home: string, processes: 'separate' | 'shared'): string[] {
  return [
    program,
    ...['--dev-bind', '/', '/'],
    ...(processes === 'separate' ? ['--unshare-pid', '--proc', '/proc'] : []),
    // Read-only, so that writing there fails instead of vanishing.
    ...['--tmpfs', home, '--remount-ro', home],
    ...(process.getuid?.() === 0
      ? DROPPED_CAPABILITIES.flatMap((name) => ['--cap-drop', name])
      : []),
    '--die-with-parent',
  ];
}

/** Why the directory cannot be hidden; undefined when it was. */
function hides(prefix: readonly string[], home: string): Promise<string | undefined> {
  const look = ['--', '/bin/sh', '-c', 'test -z "$(ls -A "$1")"', 'sh', home];
  const [program = '', ...rest] = [...prefix, ...look];
  return new Promise((resolve) => {
    execFile(program, rest, { timeout: PROBE_MS, env: PLAIN }, (error, _, stderr) => {
      if (!error) resolve(undefined);
      else if (error.code === 'ENOENT') resolve('bubblewrap (bwrap) is not installed');
      else resolve(stderr.trim().split('\n').at(-1) || 'it hides nothing');
    });
  });
}

const PLAIN = { PATH: process.env.PATH ?? '/usr/bin:/bin' };

const REPORTS = {
  separate: {
    kind: 'bubblewrap',
    processes: 'separate',
    hidesHome: true,
    summary:
      'Commands run in bubblewrap: they do not see the directory of the daemon nor processes other than their own.',
  },
  shared: {
    kind: 'bubblewrap',
    processes: 'shared',
    hidesHome: true,
    summary:
      'Commands run in bubblewrap and do not see the directory of the daemon. They do see other processes: a process namespace cannot be made here.',
  },
} as const satisfies Record<string, SandboxReport>;

function without(reason: string): Probed {
  return {
    prefix: [],
    report: {
      kind: 'none',
      processes: 'shared',
      hidesHome: false,
      summary: `Commands run without a sandbox (${reason}): a command that was approved can read what the daemon's user can, its tokens too.`,
    },
  };
}
