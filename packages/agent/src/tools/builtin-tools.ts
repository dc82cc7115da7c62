import type { Monitors } from '../tasks/monitor/monitors.js';
import type { ShellTasks } from '../tasks/shell/shell-tasks.js';
import { editFile } from './files/edit-file.js';
import { glob } from './files/glob.js';
import { createGrep } from './files/grep.js';
import { readFile } from './files/read-file.js';
import { writeFile } from './files/write-file.js';
import { type Initiative, initiativeTools } from './initiative/initiative-tools.js';
import type { Sandbox } from './shell/sandbox.js';
import { createShell } from './shell/shell.js';
import type { ChannelActs } from './talk/channel-acts.js';
import { createReadChannelThread } from './talk/read-channel-thread.js';
import type { SendMessage } from './talk/send-message.js';
import { talkTools } from './talk/talk-tools.js';
import { createMonitor } from './tasks/monitor.js';
import type { TaskActs } from './tasks/task-acts.js';
import { taskTools } from './tasks/task-tools.js';
import type { Tool } from './tool.js';
import { createWebFetch, type WebFetchOptions } from './web/web-fetch.js';

export interface BuiltinToolsOptions {
  /** Where commands keep their files, by session. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  /** Who looks after commands. Without it they run in the foreground only. */
  readonly shells?: ShellTasks | undefined;
  readonly sendMessage: SendMessage;
  readonly initiative: Initiative;
  readonly channels: ChannelActs;
  /** Without it there are no background tasks. */
  readonly tasks?: TaskActs | undefined;
  /** Variables of the daemon that commands get besides the usual ones. */
  readonly passedVariables?: readonly string[];
  /** What watches commands beside the work; off unless given. */
  readonly monitors?: Pick<Monitors, 'watch'> | undefined;
  /** Off unless given. */
  readonly webFetch?: WebFetchOptions | undefined;
}

/** The tools every agent of the builtin driver has, before its own selection. */
export function builtinTools(options: BuiltinToolsOptions): Tool[] {
  const { sandbox, channels, initiative, monitors, tasks, webFetch } = options;
  return [
    readFile,
    writeFile,
    editFile,
    glob,
    createGrep({ sandbox }),
    createShell(options),
    ...(monitors ? [createMonitor({ sandbox, watch: (wanted) => monitors.watch(wanted) })] : []),
    ...(webFetch ? [createWebFetch(webFetch)] : []),
    ...talkTools(options),
    ...initiativeTools(initiative),
    ...(tasks ? taskTools(tasks) : []),
    createReadChannelThread(channels),
  ];
}
