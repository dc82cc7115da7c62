import type { FileRedirection, Redirection, WordPart } from './ast.js';
import { isDigit } from './characters.js';
import type { AwaitedHereDocument, Cursor } from './cursor.js';
import { readHereDocumentBody, readWord } from './word.js';

// Longest first.
const OPERATORS: readonly (FileRedirection['operator'] | '<<' | '<<-')[] = [
  ...(['&>>', '<<<', '<<-'] as const),
  ...(['&>', '<<', '<&', '<>', '>>', '>&', '>|'] as const),
  ...(['<', '>'] as const),
];

/** A redirection at the start of a token, or nothing where none begins. */
export function readRedirection(cursor: Cursor): Redirection | undefined {
  skipDescriptor(cursor);
  const start = cursor.at;
  if (cursor.sees('<(') || cursor.sees('>(')) return undefined;
  const operator = OPERATORS.find((candidate) => cursor.takes(candidate));
  if (operator === undefined) return undefined;
  cursor.skipBlanks();
  const from = cursor.at;
  const target = readWord(cursor);
  if (!target) {
    cursor.at = start;
    cursor.fail(`${JSON.stringify(operator)} has no target`);
  }
  const next = cursor.peek();
  if (/^\d+$/.test(cursor.text.slice(from, cursor.at)) && (next === '<' || next === '>')) {
    cursor.fail('a number between two redirections is not understood');
  }
  if (operator !== '<<' && operator !== '<<-') return { type: 'file', operator, target };
  const raw = cursor.text.slice(from, cursor.at);
  const awaited: AwaitedHereDocument = {
    type: 'here_document',
    ...readDelimiter(cursor, raw, target.parts),
    stripTabs: operator === '<<-',
    body: [],
  };
  cursor.awaited.push(awaited);
  return awaited;
}

/** The number of `2>`; a number that nothing follows is a word and is left. */
function skipDescriptor(cursor: Cursor): void {
  const start = cursor.at;
  let digits = 0;
  while (isDigit(cursor.peek())) {
    cursor.next();
    digits += 1;
  }
  const operator = cursor.peek();
  if (digits === 0 || (operator !== '<' && operator !== '>')) cursor.at = start;
  else if (cursor.sees(`${operator}(`)) {
    cursor.fail('a numbered process substitution is not understood');
  }
}

function readDelimiter(
  cursor: Cursor,
  raw: string,
  parts: readonly WordPart[],
): { delimiter: string; verbatim: boolean } {
  const pieces = parts.flatMap((part) => (part.type === 'double' ? part.parts : [part]));
  let delimiter = '';
  for (const piece of pieces) {
    if (piece.type !== 'literal' && piece.type !== 'quoted') {
      cursor.fail('the end of a here-document is not a plain word');
    }
    delimiter += piece.text;
  }
  if (raw.includes('$') || raw.includes('\n') || delimiter === '') {
    cursor.fail('the end of a here-document is not a plain word');
  }
  return { delimiter, verbatim: parts.some((part) => part.type !== 'literal') };
}

/** At the start of the line behind one that announced here-documents. */
export function readBodies(cursor: Cursor): void {
  const { awaited } = cursor;
  cursor.awaited = [];
  for (const document of awaited) {
    const text = readLines(cursor, document);
    document.body = document.verbatim
      ? [{ type: 'quoted', text }]
      : readHereDocumentBody(cursor.inside(text));
  }
}

function readLines(cursor: Cursor, document: AwaitedHereDocument): string {
  let text = '';
  let joined: string | undefined;
  for (;;) {
    if (cursor.at >= cursor.text.length) {
      cursor.fail(`the here-document does not end with ${document.delimiter}`);
    }
    const newline = cursor.text.indexOf('\n', cursor.at);
    const end = newline < 0 ? cursor.text.length : newline;
    const raw = cursor.text.slice(cursor.at, end);
    const line = document.stripTabs ? raw.replace(/^\t+/, '') : raw;
    cursor.at = newline < 0 ? end : newline + 1;
    const ends = line === document.delimiter;
    if (joined !== undefined && (ends || joined + line === document.delimiter)) {
      cursor.fail('a joined line looks like the end of the here-document');
    }
    if (ends) return text;
    text += `${line}\n`;
    const continues = !document.verbatim && /(?<!\\)(?:\\\\)*\\$/.test(line);
    joined = continues ? (joined ?? '') + line.slice(0, -1) : undefined;
  }
}
