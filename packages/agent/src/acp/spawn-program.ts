import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Sandbox } from '../tools/shell/sandbox.js';
import { AcpFailure } from './acp-failure.js';
import type { AgentProgram } from './agent-program.js';

/**
 * A shell script between the daemon and an agent program, and the leader of their process group. The daemon keeps the
 * other end of descriptor 3 open and never writes to it. When the daemon ends for any reason, the read from it
 * ends too, and the script kills the group. It exits with the status of the program. It leaves SIGTERM to the program
 * and waits until that has ended.
 */
export const GUARD = `
exec 4<&0 </dev/null
"$@" <&4 4<&- 3<&- &
child=$!
exec 4<&- >&- 2>/dev/null
{ trap '' TERM INT HUP; read -r nothing <&3; kill -KILL 0; } &
watcher=$!
trap : TERM INT HUP
while :; do
  wait $child
  code=$?
  kill -0 $child 2>/dev/null || break
done
kill -KILL $watcher 2>/dev/null
exit $code
`;

const MARK = 'ACP_AGENT_MARK';

/**
 * Starts an agent program in the sandbox. Returns the guard, which leads the process group, and `NAME=value` in the
 * environment of every process of the program. Throws AcpFailure if it cannot.
 */
export async function spawnProgram(
  program: AgentProgram,
  serverNames: readonly string[],
  sandbox: Pick<Sandbox, 'launch' | 'programs'>,
): Promise<{ readonly child: ChildProcess; readonly mark: string }> {
  const { environment, workspace, settings } = program;
  const [, ...args] = program.command;
  const path = await findProgram(program);
  if (path === undefined) throw new AcpFailure('acp_not_found', notFound(program));
  const nonce = randomBytes(16).toString('hex');
  const own = program.ownServerArgs?.(serverNames) ?? [];
  await createMissing(settings.directories);
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
    // Not the workspace: the program would read settings of a checkout from its working directory.
    cwd: homedir(),
    env: { ...outside },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  return { child, mark: `${MARK}=${nonce}` };
}

/** Why a program is not found, with the command that fixes it; undefined if it is installed. */
export async function programProblem(program: AgentProgram): Promise<string | undefined> {
  return (await findProgram(program)) === undefined ? notFound(program) : undefined;
}

const notFound = ({ command: [name = ''], install }: AgentProgram): string =>
  `There is no program ${name} to start. Mend it with: ${
    install ?? 'stoa agent put AGENT FILE, with another driver.command'
  }`;

async function findProgram(program: AgentProgram): Promise<string | undefined> {
  const { command, environment } = program;
  const [name = ''] = command;
  if (name.includes('/')) return (await isExecutable(name)) ? name : undefined;
  for (const directory of (environment['PATH'] ?? '').split(delimiter)) {
    // A relative entry would be another directory for the agent.
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await fs.access(path, constants.X_OK);
    return (await fs.stat(path)).isFile();
  } catch {
    return false;
  }
}

/** In a sandbox a program cannot create its own directories in the home of the user. */
async function createMissing(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    // If this fails, the program reports that it cannot write there.
    await fs.mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => undefined);
  }
}

function notStarted(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new AcpFailure('acp_not_found', `It cannot be started: ${reason}`);
}
