import { status } from './commands/status.js';
import type { ExitCode } from './exit-code.js';
import { processIo } from './io.js';
import { runCommand } from './run-command.js';

/** `stoa status` without the parser of the command line, which takes longer to load than it asks. */
export function quickStatus(version: string, json: boolean): Promise<ExitCode> {
  return runCommand(status, processIo(), version, [], { json });
}
