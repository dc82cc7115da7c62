/** Quotes and lists in one another. */
const MAX_LEVELS = 32;
/** Lines that begin a quote or an item of a list. */
const MAX_CONTAINERS = 3_000;
/**
 * The parser compares the marks of a paragraph with each other, so their cost grows with the square of
 * their number: this is the square of 1,400 marks.
 */
const MAX_COMPARISONS = 2_000_000;

const BLANK = /[ \t]/;
const MARKS: ReadonlySet<string> = new Set('*_~[]!<`\\');

/**
 * Whether Markdown is nested too deeply, or has too many marks, to be parsed within a blink. It reads the
 * text once, and judges too strictly rather than too mildly.
 */
export function isTooNested(text: string): boolean {
  let marks = 0;
  let comparisons = 0;
  let containers = 0;
  for (const line of outsideOfCode(text)) {
    const { levels, isBlank } = levelsOf(line);
    if (levels > MAX_LEVELS) return true;
    if (levels > 0) containers += 1;
    if (isBlank) {
      comparisons += marks * marks;
      marks = 0;
    } else marks += marksIn(line);
    if (containers > MAX_CONTAINERS || comparisons + marks * marks > MAX_COMPARISONS) return true;
  }
  return false;
}

/**
 * The parser ignores marks in a block of code. Only a fence that begins its line counts, since
 * one in a list or a quote ends with that; and after HTML none does, since in HTML a fence is none.
 */
function outsideOfCode(text: string): readonly string[] {
  let fence: string | undefined;
  let hasHtml = false;
  return text.split(/\r\n?|\n/).filter((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      hasHtml ||= line.includes('<');
      if (mark !== undefined && !hasHtml && opens(line, mark)) fence = mark;
      return fence === undefined;
    }
    if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    return false;
  });
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** After backticks that begin a block there are no more of them in the line. */
const opens = (line: string, mark: string): boolean =>
  line.startsWith(mark) && (mark.startsWith('~') || !line.slice(mark.length).includes('`'));

/** By the marks that a line begins with; every two columns before the last of them may be a list, too. */
function levelsOf(line: string): { readonly levels: number; readonly isBlank: boolean } {
  let levels = 0;
  let columns = 0;
  let at = 0;
  for (;;) {
    while (BLANK.test(line[at] ?? '')) {
      columns += line[at] === '\t' ? 4 : 1;
      at += 1;
    }
    const end = containerEnd(line, at);
    if (end === undefined) break;
    levels = Math.max(levels + 1, Math.ceil(columns / 2));
    columns += end - at;
    at = end;
  }
  return { levels, isBlank: at >= line.length };
}

/** Where the mark of a quote or of a list ends; undefined where there is none. */
function containerEnd(line: string, at: number): number | undefined {
  const character = line[at] ?? '';
  if (character === '>') return at + 1;
  const mark = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/.exec(line.slice(at, at + 11))?.[0];
  return mark === undefined ? undefined : at + mark.length;
}

function marksIn(line: string): number {
  let marks = 0;
  for (let at = 0; at < line.length; at += 1) if (MARKS.has(line[at] ?? '')) marks += 1;
  return marks;
}
