/** Cuts between characters and never inside one, as tokenizers' streams do. */
export function fragments(text: string, size: number): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) {
    pieces.push(characters.slice(at, at + size).join(''));
  }
  return pieces;
}
