/** Escape sequences of terminals: colours, titles. An unterminated sequence loses only its first character. */
const ESCAPE_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;

/** Control, direction and joining characters, other characters without width, tags, and unassigned ones. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180e|\u180f|[\u{e0000}-\u{e0fff}]/gu;

/** Removes characters that are invisible and change how text is read. Every line ends with `\n`. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(ESCAPE_SEQUENCE, '')
    .replace(UNSEEN, '');
}
