import { constants, promises as fs } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Where a program is; undefined when there is none of that name that can be started. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  if (name.includes('/')) return (await isProgram(name)) ? name : undefined;
  for (const directory of path.split(delimiter)) {
    // A relative entry would mean another directory for the agent.
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, name);
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}

/** Why a program cannot be started, with the command that mends it; undefined when it is there. */
export async function programLack({
  command: [name = ''],
  environment,
  install,
}: {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly install: string | undefined;
}): Promise<string | undefined> {
  if ((await findProgram(name, environment['PATH'] ?? '')) !== undefined) return undefined;
  const how = install ?? 'stoa agent put AGENT FILE, with another driver.command';
  return `There is no program ${name} to start. Mend it with: ${how}`;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await fs.access(path, constants.X_OK);
    return (await fs.stat(path)).isFile();
  } catch {
    return false;
  }
}
