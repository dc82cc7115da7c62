import type { MemoryPart } from '@stoa/protocol';
import { INDEX_FILE, type MemoryFolder } from './memory-files.js';

/** A file of the long-term memory, and the line that says what it is about. */
export interface Topic {
  /** `isolated/` stands before those that are held apart. */
  readonly name: string;
  readonly line: string;
  readonly text: string;
}

const LINE_CHARS = 200;
const READ_CHARS = 10 * LINE_CHARS;

/**
 * The topics of a folder, by name. What a person wrote about one in the index stands; where the index says
 * nothing, its heading or first line does. So an index that is out of date hides no file.
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

/** What the index says of each file that it links to. */
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

/** The index of a folder: a line for each topic, as people read it. */
export function indexText(topics: readonly Pick<Topic, 'name' | 'line'>[]): string {
  const lines = topics.map(({ name, line }) => `- [${name}](${linkTo(name)}): ${line}`);
  return `# What is remembered here\n\n${lines.join('\n')}\n`;
}

/** A blank in a link of Markdown would end it. */
const linkTo = (name: string): string => name.replaceAll(' ', '%20');
const linkedName = (link: string): string => link.replace(/^\.\//, '').replaceAll('%20', ' ');

function firstWords(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^#+\s*/, ''));
  return oneLine(lines.find((line) => /\S/.test(line)) ?? '');
}

export function oneLine(text: string): string {
  // Only as much as can be shown is worked on: a file may be one long line.
  const line = text.trimStart().slice(0, READ_CHARS).replaceAll(/\s+/g, ' ').trim();
  return line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS - 1).toWellFormed()}…`;
}
