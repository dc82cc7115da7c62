import { readFile, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { LIMITS, StoaError } from '@stoa/protocol';

/** Reads a script that lies below the workspace, links resolved. */
export async function readScriptFile(workspace: string, file: string): Promise<string> {
  try {
    const root = await realpath(workspace);
    const path = await realpath(resolve(root, file));
    if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new StoaError('invalid_agent', `${file} is not below the workspace`);
    }
    const { size } = await stat(path);
    if (size > LIMITS.instructionsChars) {
      throw new StoaError(
        'invalid_agent',
        `${file} is longer than ${String(LIMITS.instructionsChars)} bytes`,
      );
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof StoaError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new StoaError('invalid_agent', `${file} cannot be read (${code})`);
  }
}
