import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-code.js';
import { type Io, processIo } from './io.js';
import { buildProgram } from './program/program.js';
import { usageText } from './program/usage-text.js';
import { runCommand } from './run-command.js';

export async function main(
  args: readonly string[],
  version: string,
  io: Io = processIo(),
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const program = buildProgram({
    version,
    io,
    run: async (load, commandArgs, options, named) => {
      exitCode = await runCommand(await load(), io, version, commandArgs, options, named);
    },
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    if (error.code !== 'commander.help') io.err(usageText(error.message, program, args));
    return EXIT.usage;
  }
}
