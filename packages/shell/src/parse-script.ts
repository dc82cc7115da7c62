import type { ChainedPipeline, CommandNode, ListItem, Pipeline, Script } from './ast.js';
import { IMPOSSIBLE } from './characters.js';
import { readCompound } from './compound.js';
import { Cursor, type Grammar, SyntaxFailure } from './cursor.js';
import { seesKeyword, takesKeyword } from './keyword.js';
import { readBodies } from './redirection.js';
import { readSimple } from './simple-command.js';

export type ParsedScript =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problem: string; readonly at: number };

const LONGEST = 100_000;

const grammar: Grammar = { list: readList, readBodies };

/**
 * Reads a script as bash does, and refuses everything that it is not sure about: what is accepted here
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

const CLOSING: ReadonlySet<string> = new Set([
  ...['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}'],
]);

/** Commands up to the end of the text or to the token that closes them, which is left to the caller. */
function readList(cursor: Cursor): Script {
  const items: ListItem[] = [];
  cursor.skipLines();
  while (!isClosed(cursor)) {
    const pipelines = readChain(cursor);
    cursor.skipBlanks();
    const background = cursor.sees('&') && !cursor.sees('&&');
    items.push({ pipelines, background });
    if (background) cursor.takes('&');
    else if (cursor.sees(';') && !endsArm(cursor)) cursor.takes(';');
    else if (cursor.peek() !== '\n') break;
    cursor.skipLines();
  }
  if (!isClosed(cursor)) cursor.fail(`unexpected ${JSON.stringify(cursor.peek())}`);
  return { items };
}

function isClosed(cursor: Cursor): boolean {
  const next = cursor.peek();
  if (next === undefined || next === ')' || endsArm(cursor)) return true;
  const keyword = seesKeyword(cursor);
  return keyword !== undefined && CLOSING.has(keyword);
}

function endsArm(cursor: Cursor): boolean {
  return cursor.sees(';;') || cursor.sees(';&');
}

function readChain(cursor: Cursor): readonly ChainedPipeline[] {
  const chain: ChainedPipeline[] = [{ pipeline: readPipeline(cursor) }];
  for (;;) {
    cursor.skipBlanks();
    const after = cursor.takes('&&') ? '&&' : cursor.takes('||') ? '||' : undefined;
    if (!after) return chain;
    cursor.skipLines();
    chain.push({ after, pipeline: readPipeline(cursor) });
  }
}

function readPipeline(cursor: Cursor): Pipeline {
  let negated = false;
  let timed = false;
  for (;;) {
    if (!negated && seesKeyword(cursor) === '!') {
      takesKeyword(cursor, '!');
      // With extended patterns switched on it would be one, and name a command.
      if (cursor.peek() === '(') cursor.fail('!( is not understood');
      negated = true;
    } else if (!timed && seesKeyword(cursor) === 'time' && !hasOptions(cursor)) {
      takesKeyword(cursor, 'time');
      timed = true;
    } else break;
    cursor.skipBlanks();
  }
  const again = seesKeyword(cursor);
  if (again === '!' || (timed && again === 'time'))
    cursor.fail(`unexpected ${JSON.stringify(again)}`);
  const commands: CommandNode[] = [readCommand(cursor)];
  for (;;) {
    cursor.skipBlanks();
    if (cursor.sees('||') || !(cursor.takes('|&') || cursor.takes('|'))) break;
    cursor.skipLines();
    commands.push(readCommand(cursor));
  }
  return { negated, timed, commands };
}

/** `time -v …` is a program of that name in some shells: left as a command, to be looked through. */
function hasOptions(cursor: Cursor): boolean {
  return cursor.ahead(() => {
    takesKeyword(cursor, 'time');
    cursor.skipBlanks();
    return cursor.peek() === '-';
  });
}

function readCommand(cursor: Cursor): CommandNode {
  return cursor.deeper(() => readCompound(cursor) ?? readSimple(cursor));
}
