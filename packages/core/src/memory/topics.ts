import type { MemoryPart } from '@stoa/protocol';
import { INDEX_FILE, type MemoryFolder } from './memory-files.js';

/** A file of the long-term memory, and the line that describes it. */
export interface Topic {
  /** With the prefix `isolated/` if the topic is isolated. */
  readonly name: string;
  readonly line: string;
  readonly text: string;
}

const LINE_CHARS = 200;
const READ_CHARS = 10 * LINE_CHARS;

/**
 * The topics of a folder, by name. The description of a topic comes from the index, or else from its first line. So an
 * outdated index hides no file.
 */
export function topicsOf({ files }: MemoryFolder, part: MemoryPart): Topic[] {
  const index = files.find(({ name }) => name === INDEX_FILE)?.text ?? '';
  const lines = indexLines(index);
  const prefix = part === 'isolated' ? 'isolated/' : '';
  return files
    .filter(({ name }) => name !== INDEX_FILE)
    .map(({ name, text }) => ({
      name: `${prefix}${name}`,
      line: lines.get(name) ?? firstWords(text),
      text,
    }));
}

/** The descriptions in the index, by file. */
function indexLines(index: string): Map<string, string> {
  const lines = new Map<string, string>();
  for (const line of index.split('\n')) {
    const [link, name = ''] = /^\s*[-*]\s*\[[^\]]*\]\(([^)]+)\)/.exec(line) ?? [];
    if (link === undefined) continue;
    const about = line
      .slice(link.length)
      .trim()
      .replace(/^[:—–-]/, '');
    if (about.trim() !== '') lines.set(linkedName(name), oneLine(about));
  }
  return lines;
}

/** The text of the index: a line for each topic. */
export function indexText(topics: readonly Pick<Topic, 'name' | 'line'>[]): string {
  const lines = topics.map(({ name, line }) => `- [${name}](${linkTo(name)}): ${line}`);
  return `# What is remembered here\n\n${lines.join('\n')}\n`;
}

/** A space would end a Markdown link. */
const linkTo = (name: string): string => name.replaceAll(' ', '%20');
const linkedName = (link: string): string => link.replace(/^\.\//, '').replaceAll('%20', ' ');

function firstWords(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^#+\s*/, ''));
  return oneLine(lines.find((line) => /\S/.test(line)) ?? '');
}

export function oneLine(text: string): string {
  // A file may be one long line: only its beginning is processed.
  const line = text.trimStart().slice(0, READ_CHARS).replaceAll(/\s+/g, ' ').trim();
  return line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS - 1).toWellFormed()}…`;
}
