import type { Monitors } from '../tasks/monitor/monitors.js';
import type { ShellTasks } from '../tasks/shell/shell-tasks.js';
import { editFile } from './files/edit-file.js';
import { glob } from './files/glob.js';
import { createGrep } from './files/grep.js';
import { readFile } from './files/read-file.js';
import { writeFile } from './files/write-file.js';
import { SESSION_TOOLS } from './session-tools.js';
import type { Sandbox } from './shell/sandbox.js';
import { createShell } from './shell/shell.js';
import { readChannelThread } from './talk/read-channel-thread.js';
import { createMonitor } from './tasks/monitor.js';
import type { Tool } from './tool.js';
import { createWebFetch, type WebFetchOptions } from './web/web-fetch.js';

export interface BuiltinToolsOptions {
  /** Where commands keep their files, by session. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  /** Who looks after commands. Without it they run in the foreground only. */
  readonly shells?: ShellTasks | undefined;
  /** Variables of the daemon that commands get besides the usual ones. */
  readonly passedVariables?: readonly string[];
  /** What watches commands beside the work; off unless given. */
  readonly monitors?: Pick<Monitors, 'watch'> | undefined;
  /** Off unless given. */
  readonly webFetch?: WebFetchOptions | undefined;
}

/** The tools every agent of the builtin driver has, before its own selection. */
export function builtinTools(options: BuiltinToolsOptions): Tool[] {
  const { sandbox, monitors, webFetch } = options;
  return [
    readFile,
    writeFile,
    editFile,
    glob,
    createGrep({ sandbox }),
    createShell(options),
    ...(monitors ? [createMonitor({ sandbox, watch: (wanted) => monitors.watch(wanted) })] : []),
    ...(webFetch ? [createWebFetch(webFetch)] : []),
    ...SESSION_TOOLS,
    readChannelThread,
  ];
}
