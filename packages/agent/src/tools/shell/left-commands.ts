import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { CommandFiles } from './command-files.js';

const COMMAND = /^([a-z][a-z_]{0,31})-(sh_[0-9a-f]{8}|tsk_[0-9a-z]{26})\./;

/** Whether a task is in the registry, alive or kept: then its files are its own affair. */
export type IsKeptTask = (taskId: string) => boolean | Promise<boolean>;

/**
 * Removes what commands of a daemon that was killed left behind. Only for who holds the data directory,
 * before it starts commands of its own. Files of tasks that are kept stay. A command that still runs keeps
 * its files, and loses them at the next start; whatever is not named as a command names its files stays.
 */
export async function clearLeftCommands(
  tasksDirectory: string,
  isKept: IsKeptTask = () => false,
): Promise<void> {
  for (const session of await entriesOf(tasksDirectory)) {
    if (!session.isDirectory()) continue;
    const directory = join(tasksDirectory, session.name);
    const entries = (await entriesOf(directory)).filter((entry) => !entry.isDirectory());
    const commands = new Map<string, CommandFiles>();
    for (const { name } of entries) {
      const [, kind, id] = COMMAND.exec(name) ?? [];
      if (id !== undefined) commands.set(`${kind}-${id}`, new CommandFiles(directory, id, kind));
    }
    for (const files of commands.values()) {
      if ((await isKept(files.id)) || (await isRunning(files))) continue;
      // What cannot be removed is somebody else's doing, and no reason for a daemon not to start.
      await files.remove().catch(() => undefined);
    }
    // Refused while there is anything in it.
    await fs.rmdir(directory).catch(() => undefined);
  }
}

/** Whether the command runs that has these files. */
export const isRunningCommand = (directory: string, kind: string, id: string): Promise<boolean> =>
  isRunning(new CommandFiles(directory, id, kind));

/** Without a status that can be read nobody could find its process any more either. */
async function isRunning(files: CommandFiles): Promise<boolean> {
  const intent = await files.readIntent();
  return intent !== undefined && (await files.state(intent.nonce)).type === 'running';
}

/** A link is not followed: what it leads to is not ours. */
async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    if (!(await fs.lstat(directory)).isDirectory()) return [];
    return await fs.readdir(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
