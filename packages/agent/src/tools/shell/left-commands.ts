import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { CommandFiles } from './command-files.js';

const COMMAND_ID = /^shell-(sh_[0-9a-f]{8})\./;

/**
 * Removes what commands of a daemon that was killed left behind. Only for who holds the data directory,
 * before it starts commands of its own. A command that still runs keeps its files, and loses them at
 * the next start; whatever is not named as a command names its files stays.
 */
export async function clearLeftCommands(tasksDirectory: string): Promise<void> {
  for (const session of await entriesOf(tasksDirectory)) {
    if (!session.isDirectory()) continue;
    const directory = join(tasksDirectory, session.name);
    const entries = (await entriesOf(directory)).filter((entry) => entry.isFile());
    const ids = new Set(entries.flatMap(({ name }) => COMMAND_ID.exec(name)?.[1] ?? []));
    for (const id of ids) {
      const files = new CommandFiles(directory, id);
      if (!(await isRunning(files))) await files.remove();
    }
    // Refused while there is anything in it.
    await fs.rmdir(directory).catch(() => undefined);
  }
}

/** Without a status that can be read nobody could find its process any more either. */
async function isRunning(files: CommandFiles): Promise<boolean> {
  const nonce = await files.readNonce();
  return nonce !== undefined && (await files.state(nonce)).type === 'running';
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
