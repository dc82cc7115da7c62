import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
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
  sandbox: Pick<Sandbox, 'wrap'>,
): Promise<SpawnedProgram> {
  const [name = '', ...args] = program.command;
  const path = await findProgram(name, program.environment['PATH'] ?? '');
  if (path === undefined) {
    throw new AcpFailure('acp_not_found', (await programLack(program)) ?? `${name} is not there`);
  }
  const nonce = randomBytes(16).toString('hex');
  const own = program.ownServerArgs?.(serverNames) ?? [];
  const argv = await sandbox.wrap([path, ...args, ...own], { [MARK]: nonce });
  const child = spawn('/bin/sh', ['-c', GUARD, 'stoa', ...argv], {
    // Not a workspace: one program serves several, and reads settings where it is started.
    cwd: homedir(),
    env: { ...program.environment },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  return { child, mark: `${MARK}=${nonce}` };
}
