import { printableLine } from '../terminal/printable.js';

/** One line of what is wrong with the command line, and where to read how it is written. */
export function usageText(message: string, args: readonly string[]): string {
  const [what, ...suggestions] = message.replace(/^error: /, '').split('\n');
  const words = args.filter((arg) => /^[a-z]+$/.test(arg)).slice(0, 1);
  const lines = [
    `stoa: ${printableLine(what ?? '')} (usage)`,
    ...suggestions.filter((line) => line !== '').map((line) => `  ${printableLine(line)}`),
    `  see: ${['stoa', ...words, '--help'].join(' ')}`,
  ];
  return `${lines.join('\n')}\n`;
}
