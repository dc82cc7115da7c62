import type { Command } from 'commander';
import { printableLine } from '../terminal/printable.js';

/** One line of what is wrong with the command line, and where to read how it is written. */
export function usageText(message: string, program: Command, args: readonly string[]): string {
  const words = commandWords(program, args);
  const [what, ...suggestions] = withoutDefault(message.replace(/^error: /, ''), words, args);
  const lines = [
    `stoa: ${printableLine(what ?? '')} (usage)`,
    ...suggestions.filter((line) => line !== '').map((line) => `  ${printableLine(line)}`),
    `  see: ${['stoa', ...words, '--help'].join(' ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Where a command lists when it is given none, one that it does not have is taken for words to the list. */
function withoutDefault(
  message: string,
  words: readonly string[],
  args: readonly string[],
): readonly string[] {
  const called = /^too many arguments for '(\S+)'/.exec(message)?.[1];
  if (called === undefined || words.at(-1) === called) return message.split('\n');
  const extra = args.filter((arg) => !arg.startsWith('-'))[words.length] ?? '';
  return [`unknown command '${extra}'`];
}

function commandWords(command: Command, args: readonly string[]): string[] {
  const [word, ...rest] = args.filter((arg) => !arg.startsWith('-'));
  const child = command.commands.find(
    (each) => word !== undefined && [each.name(), ...each.aliases()].includes(word),
  );
  return child ? [child.name(), ...commandWords(child, rest)] : [];
}
