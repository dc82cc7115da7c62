/** A text in which each `undefined` stands for any characters, or none. */
export type Wildcard = readonly (string | undefined)[];

/** Whether the whole text matches, in linear time. */
export function matchesWildcard(wildcard: Wildcard, text: string): boolean {
  const first = wildcard.findIndex((piece) => piece === undefined);
  if (first < 0) return wildcard.join('') === text;
  const prefix = wildcard.slice(0, first).join('');
  if (!text.startsWith(prefix)) return false;
  const last = wildcard.findLastIndex((piece) => piece === undefined);
  const suffix = wildcard.slice(last + 1).join('');
  let at = prefix.length;
  for (const piece of runs(wildcard.slice(first, last))) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - suffix.length >= at && text.endsWith(suffix);
}

/** The texts between wildcards. */
function* runs(wildcard: Wildcard): Generator<string> {
  let run = '';
  for (const piece of wildcard) {
    if (piece !== undefined) run += piece;
    else if (run !== '') {
      yield run;
      run = '';
    }
  }
  if (run !== '') yield run;
}

/** Every `*` of the text is a wildcard. */
export function wildcardOf(text: string): Wildcard {
  return text.split('*').flatMap((piece, index) => (index === 0 ? [piece] : [undefined, piece]));
}
