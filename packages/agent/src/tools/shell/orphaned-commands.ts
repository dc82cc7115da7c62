import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { CommandFiles } from './command-files.js';

const COMMAND = /^([a-z][a-z_]{0,31})-(sh_[0-9a-f]{8}|tsk_[0-9a-z]{26})\./;

/**
 * Removes the files that the commands of a killed daemon left. Only the daemon that holds the data directory may
 * call it, before it starts commands. Keeps files of tasks in the registry (`isKept`), of commands that still
 * run, and files that are not named like those of a command.
 */
export async function removeOrphanedFiles(
  tasksDirectory: string,
  isKept: (taskId: string) => boolean | Promise<boolean> = () => false,
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
      // A file that cannot be removed must not keep the daemon from starting.
      await files.remove().catch(() => undefined);
    }
    // Fails unless the directory is empty.
    await fs.rmdir(directory).catch(() => undefined);
  }
}

export const isRunningCommand = (directory: string, kind: string, id: string): Promise<boolean> =>
  isRunning(new CommandFiles(directory, id, kind));

async function isRunning(files: CommandFiles): Promise<boolean> {
  const intent = await files.readIntent();
  return intent !== undefined && (await files.state(intent.nonce)).type === 'running';
}

/** Does not follow a link. */
async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    if (!(await fs.lstat(directory)).isDirectory()) return [];
    return await fs.readdir(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
