import { Context, type GlobalFlags } from './context.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { explain, explanationText } from './failure.js';
import type { Io } from './io.js';

/** What a subcommand does. Without an exit code it went well. */
export type CommandRun<O extends GlobalFlags = GlobalFlags> = (
  context: Context,
  args: readonly string[],
  options: O,
) => Promise<ExitCode | undefined> | ExitCode | undefined | Promise<void>;

/** Runs one command and says what went wrong; never rejects. */
export async function runCommand<O extends GlobalFlags>(
  run: CommandRun<O>,
  io: Io,
  version: string,
  args: readonly string[],
  options: O,
  named: Readonly<Record<string, string>> = {},
): Promise<ExitCode> {
  const context = new Context(io, options, version);
  try {
    return (await run(context, args, options)) ?? EXIT.ok;
  } catch (error) {
    const where = context.surroundings;
    const explanation = explain(
      error,
      where && { ...where, named: { ...textsOf(options), ...named } },
    );
    io.err(explanationText(explanation));
    return explanation.exitCode;
  } finally {
    context.close();
  }
}

/** Those of its options that may name something. */
function textsOf(options: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
