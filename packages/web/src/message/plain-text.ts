/** Of code only the marks around it go: what is in it is meant as it stands. */
const CODE =
  /^[ \t]*(```+|~~~+)[^\n]*\n([\s\S]*?)(?:\n[ \t]*\1[ \t]*$|$(?![\s\S]))|(?<!`)(`{1,3})(?!`)([\s\S]{1,500}?)(?<!`)\3(?!`)/gm;

/** The marks that a line begins with: of a heading, a quote, a list and what is to be done in it. */
const LINE_MARKS =
  /^[ \t]*(?:(?:>[ \t]?|#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)+(?:\[[ xX]\][ \t]+)?)/gm;
const RULE = /^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/gm;
const LINK = /!?\[([^\]\n]{0,300})\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g;
const ADDRESS = /<((?:https?:\/\/|mailto:)[^\s>]+)>/g;
/** An underscore within a word is one of its letters. */
const EMPHASIS =
  /(?<!\\)(\*{1,3}|~~)(?=\S)([^\n]{0,300}?[^\s\\])\1|(?<![\p{L}\p{N}_\\])(_{1,3})(?=\S)([^\n]{0,300}?[^\s\\])\3(?![\p{L}\p{N}_])/gu;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** What Markdown says without the marks that say how: for a line that tells what a message is about. */
export function plainText(markdown: string): string {
  let plain = '';
  let from = 0;
  for (const found of markdown.matchAll(CODE)) {
    plain += unmarked(markdown.slice(from, found.index)) + (found[2] ?? found[4] ?? '');
    from = found.index + found[0].length;
  }
  return plain + unmarked(markdown.slice(from));
}

const LINE_CHARS = 200;

/** The first line that says something. */
export function firstLineOf(markdown: string): string | undefined {
  const line = /\S.*/.exec(plainText(markdown.slice(0, LINE_CHARS * 10)))?.[0];
  return line?.slice(0, LINE_CHARS);
}

function unmarked(text: string): string {
  const flat = text
    .replaceAll(RULE, '')
    .replaceAll(LINE_MARKS, '')
    .replaceAll(LINK, '$1')
    .replaceAll(ADDRESS, '$1');
  return withoutEmphasis(flat).replaceAll(ESCAPED, '$1');
}

/** One may stand in another, but not in many. */
function withoutEmphasis(text: string, deep = 3): string {
  const less = text.replaceAll(
    EMPHASIS,
    (_, _stars, starred?: string, _lines?: string, lined?: string) => starred ?? lined ?? '',
  );
  return less === text || deep === 1 ? less : withoutEmphasis(less, deep - 1);
}
