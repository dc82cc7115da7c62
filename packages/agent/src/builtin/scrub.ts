import type { JsonValue } from '../json-value.js';

/** Shorter ones are no secrets, and taking them out would garble everything. */
const LEAST_CHARS = 6;

export type Scrub = (text: string) => string;

/** Takes secrets out of texts that people read. */
export function scrubber(secrets: readonly string[]): Scrub {
  const known = formsOf(secrets);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}

/** Takes secrets out of all texts in a value. */
export function scrubJson(scrub: Scrub, value: JsonValue): JsonValue {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((one) => scrubJson(scrub, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [scrub(name), scrubJson(scrub, one)]),
  );
}

/**
 * Takes secrets out of a text that comes in pieces: what could be the beginning of one is held back until
 * the next piece shows whether it is.
 */
export class StreamScrubber {
  #held = '';

  constructor(private readonly secrets: () => readonly string[]) {}

  add(piece: string): string {
    const secrets = this.secrets();
    const known = formsOf(secrets);
    const text = this.#held + piece;
    let held = 0;
    for (const secret of known) held = Math.max(held, beginningAtEnd(text, secret));
    this.#held = text.slice(text.length - held);
    return scrubber(secrets)(text.slice(0, text.length - held));
  }

  /** Nothing more comes. */
  end(): string {
    const rest = scrubber(this.secrets())(this.#held);
    this.#held = '';
    return rest;
  }
}

/** How much of the end of a text may be the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let chars = Math.min(secret.length - 1, text.length); chars > 0; chars--) {
    if (text.endsWith(secret.slice(0, chars))) return chars;
  }
  return 0;
}

/** As they may be written: themselves, in an address, in JSON. The longest first. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .filter((secret) => secret.length >= LEAST_CHARS)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
    ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
