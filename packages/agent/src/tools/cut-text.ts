/** Keeps the beginning and end of a text that is too long, with a note between them. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - NOTE_CHARS);
  const head = wholeHead(text, Math.ceil(room / 2));
  const tail = wholeTail(text, Math.floor(room / 2));
  const missing = text.length - head.length - tail.length;
  return `${head}\n[… ${missing} characters left out …]\n${tail}`;
}

/** Keeps the beginning of a text that is too long. */
export const shorten = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`;

const NOTE_CHARS = 48;

/** Does not split surrogate pairs. */
function wholeHead(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function wholeTail(text: string, length: number): string {
  if (length === 0) return '';
  const first = text.charCodeAt(text.length - length);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? 1 - length : -length);
}
