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
  /** The directory of the files of commands; each session has its own directory in it. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  /** Without it, commands run only in the foreground. */
  readonly shells?: ShellTasks | undefined;
  /** Further variables of the daemon that commands get. */
  readonly passedVariables?: readonly string[];
  /** Without it, there is no tool `monitor`. */
  readonly monitors?: Pick<Monitors, 'watch'> | undefined;
  /** Without it, there is no tool `web_fetch`. */
  readonly webFetch?: WebFetchOptions | undefined;
}

/** The tools of the builtin driver, before an agent selects some of them. */
export function builtinTools(options: BuiltinToolsOptions): Tool[] {
  const { sandbox, monitors, webFetch } = options;
  return [
    readFile,
    writeFile,
    editFile,
    glob,
    createGrep({ sandbox }),
    createShell(options),
    ...(monitors ? [createMonitor({ sandbox, monitors })] : []),
    ...(webFetch ? [createWebFetch(webFetch)] : []),
    ...SESSION_TOOLS,
    readChannelThread,
  ];
}
