import { execFile } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { READ_ONLY_IN_HOME } from '@stoa/core';
import { isInside } from '../paths.js';
import { gitDirectories } from './git-directories.js';
import { mountArguments, type Temporary } from './sandbox-mounts.js';
import {
  NEEDED,
  NotUsable,
  SYSTEM_PATH,
  type SystemPrograms,
  systemPrograms,
} from './system-programs.js';

/** How agents' commands are restricted, for people to read. */
export interface SandboxReport {
  readonly kind: 'bubblewrap' | 'none';
  /** Whether commands can see and signal other processes. */
  readonly processes: 'separate' | 'shared';
  readonly hidesHome: boolean;
  /** What is protected, or why there is no sandbox. */
  readonly summary: string;
  /** What is not protected. */
  readonly limits: readonly string[];
}

export interface SandboxOptions {
  /** The data directory; hidden from programs. */
  readonly home: string;
  /** Other hidden directories. */
  readonly hidden?: readonly string[];
  /** The code of the daemon: read-only even inside a workspace. */
  readonly installation?: readonly string[];
  /** Further paths that every program may write; `~` is the user's home directory. */
  readonly writable?: readonly string[];
  readonly userHome?: string;
  readonly programs?: SystemPrograms;
  /** `null` turns the sandbox off. */
  readonly bubblewrap?: null;
}

/** What one program may change. */
interface Confinement {
  /** With links resolved. */
  readonly workspace?: string;
  /** Further files and directories; missing ones are ignored. */
  readonly writable?: readonly string[];
  readonly temporary?: Temporary;
}

interface LaunchOptions extends Confinement {
  /** The complete environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Set for the program only, not for the sandbox around it. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** How a program is started so that it runs in the sandbox. */
export interface Launch {
  /** Variables that the caller must set for the program. */
  readonly variables: Readonly<Record<string, string>>;
  readonly kind: SandboxReport['kind'];
  readonly processes: SandboxReport['processes'];
  /** Begins with an absolute path. */
  readonly argv: readonly string[];
  /** The environment outside the sandbox. No variable in it makes a system program load or run code. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Caches of common tools; writable if they exist. */
const CACHES = [
  ...['~/.npm', '~/.cache', '~/.cargo/registry', '~/.cargo/git', '~/go/pkg', '~/.m2/repository'],
  ...['~/.gradle/caches', '~/.gradle/wrapper', '~/.local/share/pnpm/store', '~/.pnpm-store'],
  ...['~/.yarn/berry', '~/.bun/install/cache', '~/.nuget/packages', '~/.deno'],
];

/** Services that start programs outside the sandbox for their clients: `systemd --user`, container engines. */
const SERVICES_OF_USERS = '/run/user';
const SOCKETS = ['/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock'];

const PROBE_MS = 5_000;

/** Dropped when running as root: they would defeat the sandbox, and working with files does not need them. */
const DROPPED_CAPABILITIES = [
  'CAP_SYS_ADMIN',
  'CAP_SYS_PTRACE',
  'CAP_SYS_MODULE',
  'CAP_SYS_RAWIO',
  'CAP_DAC_READ_SEARCH',
  'CAP_MKNOD',
];

/** Variables that make a shell, the loader or the C library run or load code. */
const STEERING =
  /^(?:PATH|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES|MALLOC_.*|BASH_.*|ENV|SHELLOPTS|PS4|IFS|CDPATH|GREP_.*)$/;
const VARIABLE = /^[A-Za-z_]\w*$/;

type Probed =
  | { readonly kind: 'bubblewrap'; readonly processes: 'separate' | 'shared' }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * Restricts the programs of agents, if bubblewrap works here: they can change only their workspace, their temporary
 * directory and a few caches, and cannot see the data directory. A probe checks once whether it works.
 */
export class Sandbox {
  readonly #programs: SystemPrograms;
  readonly #userHome: string;
  /** What each path resolved to at its first use. A path that resolves differently later is not writable. */
  readonly #real = new Map<string, string>();
  #probed: Promise<Probed> | undefined;

  constructor(private readonly options: SandboxOptions) {
    this.#programs = options.programs ?? systemPrograms;
    this.#userHome = options.userHome ?? homedir();
  }

  get programs(): SystemPrograms {
    return this.#programs;
  }

  /** `writable`: further paths that a program may write, for `limits`. */
  async report({ writable = [] }: Pick<Confinement, 'writable'> = {}): Promise<SandboxReport> {
    const probed = await this.#current();
    if (probed.kind === 'none')
      return withoutSandbox(probed.reason, await this.#programs.problem(NEEDED));
    const { processes } = probed;
    return {
      kind: 'bubblewrap',
      processes,
      hidesHome: true,
      summary: SUMMARIES[processes],
      limits: limitsOf(this.#opened({ writable }).map((path) => this.#shown(path))),
    };
  }

  /** Like `plan`, with the variables in the command line, so that the caller need not set them. */
  async launch(argv: readonly string[], options: LaunchOptions): Promise<Launch> {
    const planned = await this.plan(argv, options);
    const words = Object.entries(planned.variables).map(([name, value]) => `${name}=${value}`);
    if (words.length === 0) return planned;
    const env = await this.#programs.path('env');
    return { ...planned, argv: [env, ...words, ...planned.argv], variables: {} };
  }

  /** Throws NotUsable if a system program that it needs cannot be used. */
  async plan(argv: readonly string[], options: LaunchOptions): Promise<Launch> {
    const probed = await this.#current();
    const { environment: given, variables: own = {} } = options;
    const variables = { ...innerVariables(given), ...own };
    const environment = outerEnvironment(given);
    if (probed.kind === 'none') {
      return { kind: 'none', processes: 'shared', argv, variables, environment };
    }
    const { processes } = probed;
    const pairs = Object.entries(variables);
    const { TMPDIR: _, ...withoutTemporary } = environment;
    return {
      kind: 'bubblewrap',
      processes,
      argv: [
        ...(await this.#prefix(processes, options, argv)),
        ...pairs.flatMap(([name, value]) => ['--setenv', name, value]),
        '--',
        ...argv,
      ],
      variables: {},
      // Programs use /tmp by default, which is their private directory.
      environment: options.temporary === undefined ? environment : withoutTemporary,
    };
  }

  async #prefix(
    processes: 'separate' | 'shared',
    confinement: Confinement,
    argv: readonly string[] = [],
  ): Promise<string[]> {
    return [
      await this.#programs.path('bwrap'),
      ...mountArguments({
        ...this.#mounts(confinement),
        visible: [...filesNamed(argv), ...(this.options.installation ?? []).filter(isPlain)],
        processes,
      }),
      ...(process.getuid?.() === 0
        ? DROPPED_CAPABILITIES.flatMap((name) => ['--cap-drop', name])
        : []),
      '--die-with-parent',
    ];
  }

  /** Synchronous, because starting a process blocks for much longer. */
  #mounts(confinement: Confinement) {
    const { workspace, temporary = { type: 'system' } } = confinement;
    // A link that replaced the workspace would make its target writable.
    if (workspace !== undefined && realpathSync(workspace) !== workspace) {
      throw new NotUsable(`${workspace} is no longer the directory that the session was given`);
    }
    const hasAny = workspace !== undefined || confinement.writable !== undefined;
    const writable = hasAny ? this.#opened(confinement) : [];
    const repositories = writable.map(gitDirectories);
    const roots = [...writable, ...repositories.flatMap((git) => git.writable)];
    return {
      writable: roots,
      readOnly: [
        ...repositories.flatMap((git) => git.readOnly),
        ...writable.map((root) => join(root, '.stoa')),
        ...READ_ONLY_IN_HOME.map((name) => join(this.#userHome, name)),
        ...(this.options.installation ?? []),
      ].filter((path) => roots.some((root) => isInside(path, root)) && isPlain(path)),
      hidden: this.#hidden(),
      masked: SOCKETS.filter(isPlain),
      temporary,
    };
  }

  #opened({ workspace, writable = [] }: Confinement): string[] {
    const named = [...CACHES, ...(this.options.writable ?? []), ...writable];
    const opened = named.flatMap((path) => this.#realOf(this.#absolute(path)) ?? []);
    return [...new Set([...(workspace === undefined ? [] : [workspace]), ...opened])];
  }

  #hidden(): string[] {
    const { home, hidden = [] } = this.options;
    return [home, SERVICES_OF_USERS, ...hidden].flatMap((path) => {
      try {
        return [realpathSync(path)];
      } catch {
        return [];
      }
    });
  }

  #absolute(path: string): string {
    return path.startsWith('~/') ? join(this.#userHome, path.slice(2)) : path;
  }

  #shown(path: string): string {
    return isInside(path, this.#userHome) ? `~${path.slice(this.#userHome.length)}` : path;
  }

  #realOf(path: string): string | undefined {
    try {
      const real = realpathSync(path);
      const first = this.#real.get(path) ?? real;
      this.#real.set(path, first);
      return real === first ? real : undefined;
    } catch {
      return undefined;
    }
  }

  /** The result of the probe, unless a program was replaced since. */
  async #current(): Promise<Probed> {
    this.#probed ??= this.#probe();
    const probed = await this.#probed;
    if (probed.kind === 'none') return probed;
    const problem = await this.#programs.problem(['bwrap', ...NEEDED]);
    return problem === undefined ? probed : { kind: 'none', reason: problem };
  }

  async #probe(): Promise<Probed> {
    if (this.options.bubblewrap === null) return { kind: 'none', reason: 'it is turned off' };
    await this.#programs.resolve();
    const problem = await this.#programs.problem(['bwrap', ...NEEDED]);
    if (problem !== undefined) return { kind: 'none', reason: problem };
    if ((await this.#attempt('separate')) === undefined) {
      return { kind: 'bubblewrap', processes: 'separate' };
    }
    const reason = await this.#attempt('shared');
    if (reason === undefined) return { kind: 'bubblewrap', processes: 'shared' };
    return { kind: 'none', reason };
  }

  /** Starts a program in the sandbox and checks what it sees. Returns why that failed. */
  async #attempt(processes: 'separate' | 'shared'): Promise<string | undefined> {
    const [program = '', ...rest] = await this.#prefix(processes, {});
    const check =
      'test ! -w "$1" && for at; do test -z "$(ls -A "$at" 2>/dev/null)" || exit 1; done';
    const sh = await this.#programs.path('sh');
    const args = [...rest, '--', sh, '-c', check, 'sh', ...this.#hidden()];
    return new Promise((resolve) => {
      execFile(program, args, { timeout: PROBE_MS, env: OUTSIDE }, (error, _, stderr) => {
        resolve(error ? stderr.trim().split('\n').at(-1) || 'it hides nothing' : undefined);
      });
    });
  }
}

const OUTSIDE = { PATH: SYSTEM_PATH };

function innerVariables(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => STEERING.test(name) && VARIABLE.test(name)),
  );
}

function outerEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  const harmless = Object.entries(environment).filter(([name]) => !STEERING.test(name));
  return { ...Object.fromEntries(harmless), ...OUTSIDE };
}

/**
 * The directories of the files that a command line names. They stay visible, because a program or its script may
 * be in the system's temporary directory, which the sandbox replaces.
 */
function filesNamed(argv: readonly string[]): string[] {
  return argv.flatMap((word) => {
    if (!isAbsolute(word)) return [];
    try {
      const path = realpathSync(word);
      const directory = dirname(path);
      return [directory === tmpdir() || directory === '/tmp' ? path : directory];
    } catch {
      return [];
    }
  });
}

/** Whether a path can be mounted on: it exists and contains no link. */
function isPlain(path: string): boolean {
  try {
    return realpathSync(path) === path && !lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

const SUMMARIES = {
  separate:
    'Commands run in bubblewrap: they cannot change files outside the workspace and the paths named here, and do not see the data directory of Stoa nor processes other than their own.',
  shared:
    'Commands run in bubblewrap: they cannot change files outside the workspace and the paths named here, and do not see the data directory of Stoa. They do see other processes: a process namespace cannot be made here.',
} as const;

function limitsOf(opened: readonly string[]): string[] {
  const paths = ['the workspace', 'a temporary directory of their own (/tmp)', ...opened].join(
    ', ',
  );
  return [
    'Not protected: the network, which they can use as the user of the daemon can.',
    `Not protected: what they can write, which is ${paths}. In the workspace .git/hooks, .git/config and .stoa are read-only; other files of .git are not.`,
    'Not protected: what they can read, which is every file that the user of the daemon can read, except the data directory of Stoa.',
  ];
}

function withoutSandbox(reason: string, refusal: string | undefined): SandboxReport {
  return {
    kind: 'none',
    processes: 'shared',
    hidesHome: false,
    summary:
      refusal === undefined
        ? `Commands run without a sandbox (${reason}): a command that was approved can read what the daemon's user can, its tokens too.`
        : `There is no sandbox, and commands are refused (${refusal}).`,
    limits:
      refusal === undefined
        ? [
            'Not protected: the network, and every file that the user of the daemon can read or write, Stoa itself included.',
          ]
        : [],
  };
}

export const sandboxNotes = ({ summary, limits }: SandboxReport): string[] => [summary, ...limits];
