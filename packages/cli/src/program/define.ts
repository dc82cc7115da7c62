import { type Command, InvalidArgumentError } from 'commander';
import type { GlobalFlags } from '../context.js';
import { parseDuration } from '../durations.js';
import type { CommandRun } from '../run-command.js';

export type Load<O extends GlobalFlags> = () => Promise<CommandRun<O>>;

/** Runs a command once it is loaded. */
export type Runner = <O extends GlobalFlags>(
  load: Load<O>,
  args: readonly string[],
  options: O,
  /** Those of its arguments that have a name each. */
  named: Readonly<Record<string, string>>,
) => Promise<void>;

/** The headings of `stoa --help`, in their order. */
export const HELP_GROUPS = ['Conversation:', 'Agents:', 'Channels and access:', 'Daemon:'] as const;

/** The commands of a noun, and the heading below which help lists them. */
export interface NounCommands {
  readonly group: (typeof HELP_GROUPS)[number];
  readonly add: (program: Command, run: Runner) => void;
}

export const inGroup = (group: NounCommands['group'], add: NounCommands['add']): NounCommands => ({
  group,
  add,
});

/** A file of the program names commands and options; what they do is loaded when one of them runs. */
export function runs<O extends GlobalFlags>(
  command: Command,
  run: Runner,
  load: Load<O>,
  examples: readonly string[],
): Command {
  if (examples.length > 0) {
    const text = examples.map((example) => `  $ ${example}`).join('\n');
    command.addHelpText('after', `\nExamples:\n${text}`);
  }
  return command.action(async () => {
    await run(load, command.args, command.optsWithGlobals<O>(), namedArguments(command));
  });
}

function namedArguments({ registeredArguments, args }: Command): Record<string, string> {
  return Object.fromEntries(
    registeredArguments.flatMap((argument, index) => {
      const value = args[index];
      return value === undefined || argument.variadic ? [] : [[argument.name(), value]];
    }),
  );
}

function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Give a whole number from ${from} to ${to}.`);
  };
}

export const sequence = wholeNumber(0, Number.MAX_SAFE_INTEGER);
export const port = wholeNumber(0, 65_535);
export const pageSize = wholeNumber(1, 200);
export const count = wholeNumber(1, 1_000_000);
export const priority = wholeNumber(0, 9);

/** In milliseconds. */
export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('Give a duration such as 90s, 10m, 1h30m or 7d.');
}

/** A command below another one, described by one sentence. */
export function described(
  parent: Command,
  name: string,
  summary: string,
  options?: { readonly isDefault?: boolean },
): Command {
  return parent
    .command(name, options)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
}

/** An option that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
