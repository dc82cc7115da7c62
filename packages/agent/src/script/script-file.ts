import { LIMITS, StoaError } from '@stoa/protocol';
import type { PathGuardOptions } from '../tools/paths.js';
import { ToolFailure } from '../tools/tool-failure.js';
import { WorkspaceFiles } from '../workspace-files.js';

/** Reads a script inside the workspace, with links resolved. Throws `invalid_agent`. */
export async function readScriptFile(options: PathGuardOptions, file: string): Promise<string> {
  const limit = LIMITS.instructionsChars;
  let problem: string;
  try {
    const found = await (await WorkspaceFiles.of(options)).read(file, limit);
    if (found?.isWhole === true) return found.text;
    problem = found
      ? `${file} is longer than ${String(limit)} bytes`
      : `${file} cannot be read (ENOENT)`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    problem = error instanceof ToolFailure ? error.message : `${file} cannot be read (${code})`;
  }
  throw new StoaError('invalid_agent', problem);
}
