import type { Command } from 'commander';
import { printableLine } from '../terminal/printable.js';

/** One line of what is wrong with the command line, and where to read how it is written. */
export function usageText(message: string, program: Command, args: readonly string[]): string {
  const [what, ...suggestions] = message.replace(/^error: /, '').split('\n');
  const words = commandWords(program, args);
  const lines = [
    `stoa: ${printableLine(what ?? '')} (usage)`,
    ...suggestions.filter((line) => line !== '').map((line) => `  ${printableLine(line)}`),
    `  see: ${['stoa', ...words, '--help'].join(' ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

function commandWords(command: Command, args: readonly string[]): string[] {
  const [word, ...rest] = args.filter((arg) => !arg.startsWith('-'));
  const child = command.commands.find(
    (each) => word !== undefined && [each.name(), ...each.aliases()].includes(word),
  );
  return child ? [child.name(), ...commandWords(child, rest)] : [];
}
