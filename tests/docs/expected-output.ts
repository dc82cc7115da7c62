const SOMETHING = '…';

/**
 * Whether a program printed what the document shows. `…` stands for some text within a line, and
 * alone on its line for any number of lines.
 */
export function isExpected(shown: string, printed: string): boolean {
  const pattern = lines(shown)
    .map((line) => (line.trim() === SOMETHING ? '(?:.*\\n)*?' : `${linePattern(line)}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`, 'u').test(`${lines(printed).join('\n')}\n`);
}

function lines(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
}

function linePattern(line: string): string {
  return line.split(SOMETHING).map(literally).join('.+');
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
