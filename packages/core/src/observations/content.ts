import { LIMITS, StoaError } from '@stoa/protocol';

/** A body, read as far as it can be. */
export interface Payload {
  readonly text: string;
  /** Absent when it is not JSON. */
  readonly json?: unknown;
}

const PLACEHOLDER = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/**
 * What is said of a payload: the template with its fields, else its `text`, else all of it. It is data and
 * stays data: nothing in it is looked at again, and what is longer than a message may be is cut.
 */
export function contentOf(template: string | undefined, payload: Payload): string {
  const said =
    template === undefined
      ? (textOf(payload.json) ?? payload.text)
      : template.replaceAll(PLACEHOLDER, (_, path: string) => fieldOf(payload.json, path));
  const content = cut(said, LIMITS.textChars);
  if (/\S/.test(content)) return content;
  throw new StoaError('invalid_request', 'There is nothing in it to be told');
}

/** At most so many characters, and never half of one. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most);
  return kept.isWellFormed() ? kept : kept.slice(0, -1);
}

function textOf(json: unknown): string | undefined {
  const text = own(json, 'text');
  return typeof text === 'string' ? text : undefined;
}

/** What is not there is left out. */
function fieldOf(json: unknown, path: string): string {
  const value = path.split('.').reduce(own, json);
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
