import type { AgentDefinition } from '@stoa/protocol';
import { isMap, parseDocument, stringify } from 'yaml';
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
    throw new UsageError(`${name}, line ${line}: ${faultOf(error.message)}`);
  }
  if (!isMap(document.contents)) throw new UsageError(`the front matter of ${name} has no fields`);
  const instructions = text.slice(match[0].length).trim();
  return { instructions, ...(document.toJS() as Record<string, unknown>) };
}

/** Without the line number, which counts from the front matter, and the excerpt below it. */
function faultOf(message: string): string {
  const [first = ''] = message.split('\n');
  return first.replace(/:$/, '').replace(/ at line \d+, column \d+$/, '');
}

/** A file that `readAgentFile` makes the same definition of. */
export function agentFileText({ instructions, ...fields }: AgentDefinition): string {
  const front = stringify(fields, { lineWidth: 0 });
  const body = instructions.trim();
  return `---\n${front}---\n${body === '' ? '' : `\n${body}\n`}`;
}
