import { structuredPatch } from 'diff';

const CONTEXT_LINES = 3;
/** With more changed lines the whole text is shown as replaced: the time to compare grows with their square. */
const CHANGED_LINES = 1_000;
const NO_NEWLINE = '\\ No newline at end of file';

/** A unified diff. Without a text before, the file is new. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const [old, now] = [visibleReturns(before ?? ''), visibleReturns(after)];
  const name = onOneLine(path);
  const from = before === undefined ? '/dev/null' : `a/${name}`;
  const head = `--- ${from}\n+++ b/${name}`;
  if (old === now) return `${head}\n(no change)`;
  const patch = structuredPatch('', '', old, now, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: CHANGED_LINES,
  });
  return [head, ...(patch?.hunks ?? [replacement(old, now)]).map(hunkText)].join('\n');
}

/** A name with line breaks could contain a forged diff. */
function onOneLine(path: string): string {
  return /[\r\n]/.test(path) ? JSON.stringify(path) : path;
}

function visibleReturns(text: string): string {
  return text.replaceAll('\r', '␍');
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function replacement(before: string, after: string): Hunk {
  const [old, now] = [linesOf(before), linesOf(after)];
  const marked = (mark: string, lines: readonly string[], text: string): string[] => [
    ...lines.map((line) => mark + line),
    ...(text === '' || text.endsWith('\n') ? [] : [NO_NEWLINE]),
  ];
  return {
    ...{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length },
    lines: [...marked('-', old, before), ...marked('+', now, after)],
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const start = (first: number, count: number): string => `${count === 0 ? 0 : first},${count}`;
  return [`@@ -${start(oldStart, oldLines)} +${start(newStart, newLines)} @@`, ...lines].join('\n');
}
