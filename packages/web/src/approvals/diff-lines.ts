export interface DiffLine {
  readonly look: 'same' | 'added' | 'removed' | 'place' | 'file';
  readonly text: string;
}

/** Whether a detail is a unified diff; other details are shown as they are. */
export function isDiff(text: string): boolean {
  return /^--- .*\n\+\+\+ /.test(text);
}

export function diffLines(text: string): DiffLine[] {
  let isHead = true;
  return text.split('\n').map((line) => {
    if (line.startsWith('@@')) isHead = false;
    return { look: lookOf(line, isHead), text: line };
  });
}

/** A removed line that begins with `--` looks like a file's name: those stand only at the head. */
function lookOf(line: string, isHead: boolean): DiffLine['look'] {
  if (isHead) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
