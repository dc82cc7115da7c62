/** The beginning of a text. Does not cut a surrogate pair in half. */
export function cutText(text: string, maxChars: number): string {
  const cut = text.slice(0, maxChars);
  return text.length <= maxChars || cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** A text on one line, with an ellipsis if it is cut. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}
