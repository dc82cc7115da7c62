export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'hunk' | 'file';
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
    return { kind: kindOf(line, isHead), text: line };
  });
}

/** A removed line that begins with `--` looks like a file name, which only occurs at the head. */
function kindOf(line: string, isHead: boolean): DiffLine['kind'] {
  if (isHead) return 'file';
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
