import type { Script } from './ast.js';
import { IMPOSSIBLE } from './characters.js';
import { Cursor, type Grammar } from './cursor.js';
import { readList } from './list.js';
import { readBodies } from './redirection.js';
import { SyntaxFailure } from './syntax-failure.js';

export type ParsedScript =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problem: string; readonly at: number };

const LONGEST = 100_000;

const grammar: Grammar = { list: readList, readBodies };

/**
 * Reads a script as bash does, and refuses whatever it is not sure about: what is accepted here
 * runs the commands that are in the answer, and no others. Where bash and a plain POSIX shell
 * would read the same text as different commands, it is refused or both readings are covered.
 *
 * Pure and total: a script that is not understood is a value, never a throw.
 */
export function parseScript(text: string): ParsedScript {
  if (text.length > LONGEST) return refused('it is too long', LONGEST);
  const impossible = text.search(IMPOSSIBLE);
  if (impossible >= 0) return refused('it has a character no shell can be given', impossible);
  if (!text.isWellFormed()) return refused('it is not well-formed text', 0);
  const cursor = new Cursor(text, grammar);
  try {
    const script = readList(cursor);
    if (cursor.peek() !== undefined) cursor.fail(`unexpected ${JSON.stringify(cursor.peek())}`);
    if (cursor.awaited.length > 0) cursor.fail('a here-document has no body');
    return { ok: true, script };
  } catch (failure) {
    if (failure instanceof SyntaxFailure) return refused(failure.message, failure.at);
    throw failure;
  }
}

function refused(problem: string, at: number): ParsedScript {
  return { ok: false, problem, at };
}
