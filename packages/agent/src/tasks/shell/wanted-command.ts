import type { RunContext } from '@stoa/core';
import { LIMITS, type Task } from '@stoa/protocol';

/** A command that an agent wants to run. */
export interface WantedCommand {
  readonly command: string;
  readonly description?: string | undefined;
  readonly cwd: string;
  readonly run: RunContext;
  readonly callId: string;
  readonly takesInput?: boolean;
  readonly hasTerminal?: boolean;
}

export interface WaitedCommand extends WantedCommand {
  readonly timeoutMs: number;
  readonly onTimeout: 'kill' | 'background';
  readonly signal: AbortSignal;
}

export type BackgroundCommand = WantedCommand & { readonly timeoutMs?: number | undefined };

export const SHELL_KIND = 'shell';
/** What stands of a command in its entry; whole it is in its files. */
const COMMAND_CHARS = 4_000;

/** What the entry of a command says, but for when it began. */
export function newShellTask(wanted: WantedCommand, made: { taskId: string; outputPath: string }) {
  const { command, description = command, run, callId } = wanted;
  return {
    ...made,
    kind: SHELL_KIND,
    description,
    runId: run.runId,
    callId,
    origin: run.origin,
  };
}

export function shellDetail(
  { command, cwd, takesInput = false, hasTerminal = false }: WantedCommand,
  nonce: string,
) {
  const shown =
    command.length <= COMMAND_CHARS
      ? command
      : `${command.slice(0, COMMAND_CHARS).toWellFormed()}…`;
  return { command: shown, cwd, nonce, stdin: takesInput, ...(hasTerminal ? { pty: true } : {}) };
}

/** What a list shows of a command that is waited for, which has no entry. */
export function waitedTask(
  wanted: WantedCommand,
  made: {
    readonly taskId: string;
    readonly nonce: string;
    readonly pid: number | undefined;
    readonly outputPath: string;
    readonly transcriptPath: string;
    readonly location: string;
    readonly at: number;
  },
): Task {
  const { sessionId, responsibleId } = wanted.run.session;
  const { taskId, nonce, pid, outputPath, transcriptPath, location, at } = made;
  const { description, ...known } = newShellTask(wanted, { taskId, outputPath });
  return {
    ...known,
    description: description.replace(/\s+/g, ' ').slice(0, LIMITS.titleChars).toWellFormed(),
    sessionId,
    startedIn: sessionId,
    responsibleId,
    status: 'running',
    isForeground: true,
    createdAt: at,
    startedAt: at,
    updatedAt: at,
    notice: 'none',
    location,
    transcriptPath,
    detail: { ...shellDetail(wanted, nonce), ...(pid === undefined ? {} : { pid }) },
    pendingApprovals: 0,
  };
}
