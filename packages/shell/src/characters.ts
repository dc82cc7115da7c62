/** Ends an unquoted word. */
export const METACHARACTERS: ReadonlySet<string> = new Set(' \t\n;&|<>()');

/**
 * Shells disagree about these, or keep them for themselves: blanks of some locales, control
 * characters, the bytes bash marks its own quoting with. Quoted, the harmless ones may stand.
 */
const DOUBTFUL = /[\x00-\x08\x0b-\x1f\x7f\x85]|(?! )\p{White_Space}|\p{Cf}/u;

/** Never, not even quoted: they do not reach the shell as they are written here. */
export const IMPOSSIBLE = /[\x00\x01\x7f]/;

export function isDoubtful(character: string): boolean {
  return character !== '\n' && character !== '\t' && DOUBTFUL.test(character);
}

export function isNameStart(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z_]/.test(character);
}

export function isNamePart(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}

export function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
