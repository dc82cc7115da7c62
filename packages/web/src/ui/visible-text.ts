/**
 * Characters that are not seen, or that change the order of those that are. Who decides about a command by
 * reading it must see what will run.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Keeps line breaks and tabs; everything else that hides is written as its code. */
export function visibleText(text: string): string {
  return text.replaceAll(
    HIDDEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
