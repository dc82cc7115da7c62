/**
 * Text of other people is data. A terminal would obey its control characters: move the cursor,
 * rename the window, paste into the shell, or (bidi marks) show words in another order.
 */
const DANGEROUS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Keeps line breaks and tabs; everything else a terminal might obey becomes visible. */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(DANGEROUS, visible)
    .replace(LONE_SURROGATE, '\ufffd');
}

/** For single-line values: names, titles, ids. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ');
}

/** JSON that is the same data to a program and harmless to the terminal it may be shown on. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(DANGEROUS, escaped);
}

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : escaped(character);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
