import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import type { Sandbox } from '../tools/shell/sandbox.js';
import { AcpFailure } from './acp-failure.js';
import type { AgentProgram } from './agent-program.js';
import { findProgram, programLack } from './find-program.js';
import { GUARD } from './process-guard.js';

export interface SpawnedProgram {
  /** Its guard, which leads their group. */
  readonly child: ChildProcess;
  /** `NAME=value` in the environment of every process of it. */
  readonly mark: string;
}

const MARK = 'ACP_AGENT_MARK';

/** Starts an agent program in the sandbox, in a group of its own. Throws AcpFailure when there is none. */
export async function spawnProgram(
  program: AgentProgram,
  serverNames: readonly string[],
  sandbox: Pick<Sandbox, 'launch' | 'programs'>,
): Promise<SpawnedProgram> {
  const [name = '', ...args] = program.command;
  const path = await findProgram(name, program.environment['PATH'] ?? '');
  if (path === undefined) {
    throw new AcpFailure('acp_not_found', (await programLack(program)) ?? `${name} is not there`);
  }
  const nonce = randomBytes(16).toString('hex');
  const own = program.ownServerArgs?.(serverNames) ?? [];
  const { environment, workspace, settings } = program;
  await makeMissing(settings.directories);
  const { argv, environment: outside } = await sandbox
    .launch([path, ...args, ...own], {
      environment,
      variables: { [MARK]: nonce },
      ...(workspace === undefined ? {} : { workspace }),
      writable: [...settings.directories, ...settings.files],
      temporary: { type: 'memory' },
    })
    .catch(notStarted);
  const sh = await sandbox.programs.path('sh').catch(notStarted);
  const child = spawn(sh, ['-c', GUARD, 'stoa', ...argv], {
    // Not the workspace: it would read settings of a checkout where it is started.
    cwd: homedir(),
    env: { ...outside },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  return { child, mark: `${MARK}=${nonce}` };
}

/** In a sandbox a program cannot make its own directories in the home of the user. */
async function makeMissing(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    // One that cannot be made is not writable either; the program says what it lacks.
    await fs.mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => undefined);
  }
}

function notStarted(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new AcpFailure('acp_not_found', `It cannot be started: ${why}`);
}
