const ZERO = /\p{Mn}|\p{Me}|\p{Cf}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** How many cells a terminal gives the text; columns of CJK names would not align otherwise. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!ZERO.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The lines that a text of one line takes; a tab counts for as much as it may. */
export function folded(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const character of text) {
    const cells = character === '\t' ? TAB_CELLS : displayWidth(character);
    if (used + cells > width && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += character;
    used += cells;
  }
  return [...lines, line];
}

const TAB_CELLS = 8;
