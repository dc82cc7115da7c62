import { eastAsianWidth } from 'get-east-asian-width';

const PRINTABLE_ASCII = /^[ -~]*$/;
const ZERO = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;
const TAB_CELLS = 8;

/**
 * A flag, an emoji with what modifies or joins it, or any other character. `Intl.Segmenter` would find the same, but its time
 * grows with the square of the text (Node 20: 0.3 s for 32 KiB).
 */
const SYMBOL =
  /\p{Regional_Indicator}\p{Regional_Indicator}|\p{Emoji}[\p{Emoji_Modifier}\ufe0f\u20e3\u{e0020}-\u{e007f}]{0,8}(?:\u200d\p{Emoji}[\p{Emoji_Modifier}\ufe0f\u20e3\u{e0020}-\u{e007f}]{0,8}){0,4}|[^]/gu;
/** Digits and signs such as © are emoji only with a variation selector or a keycap. */
const IS_EMOJI =
  /^\p{Regional_Indicator}\p{Regional_Indicator}|^\p{Emoji_Presentation}|^\p{Emoji}[^]*[\ufe0f\u20e3]/u;

/** How many cells a terminal gives the text; columns of CJK names would not align otherwise. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const [symbol] of text.matchAll(SYMBOL)) width += cellsOf(symbol);
  return width;
}

export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const [symbol] of text.matchAll(SYMBOL)) {
    used += cellsOf(symbol);
    if (used > width) break;
    kept += symbol;
  }
  return `${kept}…`;
}

/** The lines that a text of one line takes; a tab counts for as much as it may. */
export function folded(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const [symbol] of text.matchAll(SYMBOL)) {
    const cells = symbol === '\t' ? TAB_CELLS : cellsOf(symbol);
    if (used + cells > width && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += symbol;
    used += cells;
  }
  return [...lines, line];
}

/** An emoji takes two cells however many characters it is made of. */
function cellsOf(symbol: string): number {
  if (IS_EMOJI.test(symbol)) return 2;
  let cells = 0;
  for (const character of symbol) {
    if (!ZERO.test(character)) cells += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return cells;
}
