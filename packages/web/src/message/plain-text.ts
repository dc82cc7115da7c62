/** The line that begins or ends a block of code. */
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
/** Longer code in a line stays as it is written. */
const INLINE_CODE = /(?<!`)(`{1,3})(?!`)([^`]{1,500}|[^]{1,100}?)(?<!`)\1(?!`)/g;

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

/** Of a longer text the rest is left out: what this is for shows a few lines. */
const PLAIN_CHARS = 20_000;

/** What Markdown says without the marks that say how: for a line that tells what a message is about. */
export function plainText(markdown: string): string {
  return blocksOf(markdown.slice(0, PLAIN_CHARS))
    .map(({ text, isCode }) => (isCode ? text : withoutMarks(text)))
    .join('\n');
}

interface Block {
  readonly text: string;
  /** Its content is literal. */
  readonly isCode: boolean;
}

/** A fence that is never closed reaches to the end. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const end = (isCode: boolean): void => {
    if (lines.length > 0) blocks.push({ text: lines.join('\n'), isCode });
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const [begin = '', mark] = FENCE.exec(line) ?? [];
    if (fence === undefined && mark !== undefined) {
      end(false);
      fence = mark;
    } else if (fence !== undefined && mark === fence && line.slice(begin.length).trim() === '') {
      end(true);
      fence = undefined;
    } else lines.push(line);
  }
  end(fence !== undefined);
  return blocks;
}

function withoutMarks(text: string): string {
  let plain = '';
  let from = 0;
  for (const found of text.matchAll(INLINE_CODE)) {
    plain += unmarked(text.slice(from, found.index)) + (found[2] ?? '');
    from = found.index + found[0].length;
  }
  return plain + unmarked(text.slice(from));
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
