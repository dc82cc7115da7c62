import { METACHARACTERS } from './characters.js';
import type { Cursor } from './cursor.js';

/** Words that shape a script where a command could begin. */
const RESERVED = [
  ...([
    'if',
    'then',
    'elif',
    'else',
    'fi',
    'while',
    'until',
    'for',
    'select',
    'do',
    'done',
  ] as const),
  ...(['case', 'esac', 'function', 'coproc', 'time', '!', '{', '}', '[[', ']]', 'in'] as const),
];
export type Keyword = (typeof RESERVED)[number];

export function isKeyword(text: string): boolean {
  return RESERVED.some((keyword) => keyword === text);
}

/** The keyword that comes next. Quoted, or as a part of a longer word, it is none. */
export function seesKeyword(cursor: Cursor): Keyword | undefined {
  return RESERVED.find((keyword) => cursor.sees(keyword) && endsBehind(cursor, keyword));
}

export function takesKeyword(cursor: Cursor, keyword: Keyword): boolean {
  if (!cursor.sees(keyword) || !endsBehind(cursor, keyword)) return false;
  return cursor.takes(keyword);
}

/** Blanks and newlines may stand before it. */
export function expectKeyword(cursor: Cursor, keyword: Keyword): void {
  cursor.skipLines();
  if (!takesKeyword(cursor, keyword)) cursor.fail(`${JSON.stringify(keyword)} is missing`);
}

function endsBehind(cursor: Cursor, keyword: string): boolean {
  const behind = cursor.ahead(() => {
    cursor.takes(keyword);
    return cursor.peek();
  });
  return behind === undefined || METACHARACTERS.has(behind);
}
