import { isMap, parseDocument } from 'yaml';
import { UsageError } from './failure.js';

const FRONT_MATTER = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * The definition in a Markdown file: front matter with its fields, then the instructions. Whether the
 * fields mean anything is for the daemon to say.
 */
export function readAgentFile(text: string, name: string): Record<string, unknown> {
  const match = FRONT_MATTER.exec(text);
  if (!match) {
    throw new UsageError(
      `${name} does not begin with front matter`,
      'an agent is a Markdown file that begins with fields between two lines of ---',
    );
  }
  const document = parseDocument(match[1] ?? '', { uniqueKeys: true });
  const [error] = document.errors;
  if (error) {
    const line = (error.linePos?.[0].line ?? 0) + 1;
    throw new UsageError(`${name}, line ${line}: ${error.message.split('\n')[0] ?? ''}`);
  }
  if (!isMap(document.contents)) throw new UsageError(`the front matter of ${name} has no fields`);
  const instructions = text.slice(match[0].length).trim();
  return { instructions, ...(document.toJS() as Record<string, unknown>) };
}
