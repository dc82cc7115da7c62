import type { Context } from '../context.js';
import { UsageError } from '../failure.js';

/** The words of a command line as one text; a lone `-` stands for standard input. */
export async function textFrom(context: Context, words: readonly string[]): Promise<string> {
  const text = await inputFrom(context, words);
  if (text.trim() === '') throw new UsageError('there is no text to send');
  return text;
}

/** The same for a program, to which white space may mean something. */
export async function inputFrom(context: Context, words: readonly string[]): Promise<string> {
  const text = words.length === 1 && words[0] === '-' ? await fromStdin(context) : words.join(' ');
  if (text === '') throw new UsageError('there is no text to send');
  return text;
}

async function fromStdin(context: Context): Promise<string> {
  const bytes = await context.io.stdin();
  try {
    // A pipe ends its last line; a message does not.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new UsageError('standard input is not UTF-8 text', 'send a file with: --attach FILE');
  }
}
