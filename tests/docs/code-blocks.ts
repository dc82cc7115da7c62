/** A fenced block of a Markdown file: ```` ```sh run ```` has the language `sh` and the mark `run`. */
export interface CodeBlock {
  readonly language: string;
  readonly mark: string;
  readonly text: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  const lines = markdown.split('\n');
  const blocks: CodeBlock[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [, fence, language = '', mark = ''] =
      /^(`{3,}|~{3,})\s*([\w-]*)\s*(.*?)\s*$/.exec(lines[i] ?? '') ?? [];
    if (fence === undefined) continue;
    const start = i + 1;
    const isEnd = (line: string): boolean => line.startsWith(fence) && line.trim() === fence;
    do i++;
    while (i < lines.length && !isEnd(lines[i] ?? ''));
    if (i === lines.length) throw new Error(`the block in line ${start} does not end`);
    blocks.push({ language, mark, text: `${lines.slice(start, i).join('\n')}\n`, line: start });
  }
  return blocks;
}

/** Languages whose blocks must say whether they run: `run`, or `by-hand`. */
const RUNNABLE = new Set(['sh', 'bash', 'console', 'shell', 'ts', 'js', 'yaml']);
const KNOWN_MARKS: Readonly<Record<string, readonly string[]>> = {
  sh: ['run', 'by-hand'],
  ts: ['run', 'by-hand'],
  yaml: ['run', 'by-hand'],
  text: ['', 'output'],
};

/** What is wrong with the marks of a document; empty when nothing is. */
export function markProblems(blocks: readonly CodeBlock[]): string[] {
  return blocks.flatMap(({ language, mark, line }, i) => {
    const known = KNOWN_MARKS[language];
    if (known === undefined) {
      return RUNNABLE.has(language) || mark !== ''
        ? [`line ${line}: \`${language} ${mark}\` is not a block that the tests know`]
        : [];
    }
    if (!known.includes(mark)) return [`line ${line}: \`${language}\` needs ${known.join(' or ')}`];
    const before = blocks[i - 1];
    if (mark === 'output' && (before?.mark !== 'run' || before.language === 'yaml')) {
      return [`line ${line}: the output belongs to no block that runs`];
    }
    return [];
  });
}
