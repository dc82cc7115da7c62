import type { JsonValue } from '../json-value.js';

/** Shorter values are not removed, because they occur in ordinary text. */
const MIN_CHARS = 6;

export type Scrub = (text: string) => string;

/** Returns a function that removes secrets from a text. */
export function scrubber(secrets: readonly string[]): Scrub {
  const known = formsOf(secrets);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}

/** Removes secrets from all texts in a value. */
export function scrubJson(scrub: Scrub, value: JsonValue): JsonValue {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((one) => scrubJson(scrub, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [scrub(name), scrubJson(scrub, one)]),
  );
}

/** Removes secrets from a text in pieces. It holds back the possible start of a secret until the next piece. */
export class StreamScrubber {
  #held = '';

  constructor(private readonly secrets: () => readonly string[]) {}

  add(piece: string): string {
    const secrets = this.secrets();
    const known = formsOf(secrets);
    const text = this.#held + piece;
    let held = 0;
    for (const secret of known) held = Math.max(held, startAtEnd(text, secret));
    this.#held = text.slice(text.length - held);
    return scrubber(secrets)(text.slice(0, text.length - held));
  }

  /** Returns the rest after the last piece. */
  end(): string {
    const rest = scrubber(this.secrets())(this.#held);
    this.#held = '';
    return rest;
  }
}

/** How many characters at the end of a text may be the start of a secret. */
function startAtEnd(text: string, secret: string): number {
  for (let chars = Math.min(secret.length - 1, text.length); chars > 0; chars--) {
    if (text.endsWith(secret.slice(0, chars))) return chars;
  }
  return 0;
}

/** Secrets as plain text, in a URL and in JSON, the longest first. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .filter((secret) => secret.length >= MIN_CHARS)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
    ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
