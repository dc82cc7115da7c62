const CONTEXT_LINES = 3;
/** Beyond this many comparisons the changed part is shown as replaced as a whole. */
const COMPARISONS = 4_000_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** What changes, as people read it. Without a text before, the file is new. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const lines = diffLines(splitLines(before ?? ''), splitLines(after));
  const hunks = hunksOf(lines);
  const name = onOneLine(path);
  const from = before === undefined ? '/dev/null' : `a/${name}`;
  if (hunks.length === 0) return `--- ${from}\n+++ b/${name}\n(no change)`;
  return [`--- ${from}`, `+++ b/${name}`, ...hunks].join('\n');
}

/** A name with line breaks could hold a whole diff of its own. */
function onOneLine(path: string): string {
  return /[\r\n]/.test(path) ? JSON.stringify(path) : path;
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop();
  if (last !== undefined && last !== '') lines.push(`${last}\n\\ No newline at end of file`);
  return lines.map((line) => line.replaceAll('\r', '␍'));
}

function diffLines(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...a.slice(0, start).map(same),
    ...changedLines(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/** By the longest common subsequence: `longest[i][j]` is its length from line i of a and j of b on. */
function changedLines(a: readonly string[], b: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ mark: '-', text });
  const added = (text: string): Line => ({ mark: '+', text });
  if (a.length * b.length > COMPARISONS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: ' ', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(a[i] ?? ''));
      i += 1;
    } else {
      lines.push(added(b[j] ?? ''));
      j += 1;
    }
  }
  return lines;
}

function hunksOf(lines: readonly Line[]): string[] {
  const shown = new Array<boolean>(lines.length).fill(false);
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return;
    shown.fill(true, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  });
  const hunks: string[] = [];
  let hunk: Line[] = [];
  let [oldLine, newLine] = [1, 1];
  let [oldStart, newStart] = [1, 1];
  lines.forEach((line, index) => {
    if (shown[index] === true) {
      if (hunk.length === 0) [oldStart, newStart] = [oldLine, newLine];
      hunk.push(line);
    }
    if (line.mark !== '+') oldLine += 1;
    if (line.mark !== '-') newLine += 1;
    if (hunk.length > 0 && shown[index + 1] !== true) {
      hunks.push(hunkText(hunk, oldStart, newStart));
      hunk = [];
    }
  });
  return hunks;
}

function hunkText(lines: readonly Line[], oldStart: number, newStart: number): string {
  const olds = lines.filter(({ mark }) => mark !== '+').length;
  const news = lines.filter(({ mark }) => mark !== '-').length;
  const header = `@@ -${olds === 0 ? 0 : oldStart},${olds} +${news === 0 ? 0 : newStart},${news} @@`;
  return [header, ...lines.map(({ mark, text }) => mark + text)].join('\n');
}
