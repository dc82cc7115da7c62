import { LIMITS, StoaError } from '@stoa/protocol';
import { cutText } from '../kernel/short-text.js';

export interface Payload {
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly json?: unknown;
}

const PLACEHOLDER = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/**
 * The text of an observation: the template filled with fields of the payload, else its `text`, else the whole payload.
 * Placeholders inside of the payload are not replaced. A text that is too long for a message is cut.
 */
export function contentOf(template: string | undefined, payload: Payload): string {
  const full =
    template === undefined
      ? (textOf(payload.json) ?? payload.text)
      : template.replaceAll(PLACEHOLDER, (_, path: string) => fieldOf(payload.json, path));
  const content = cutText(full, LIMITS.textChars);
  if (/\S/.test(content)) return content;
  throw new StoaError('invalid_request', 'The observation has no text');
}

function textOf(json: unknown): string | undefined {
  const text = own(json, 'text');
  return typeof text === 'string' ? text : undefined;
}

/** An empty text if there is no such field. */
function fieldOf(json: unknown, path: string): string {
  const value = path.split('.').reduce(own, json);
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
