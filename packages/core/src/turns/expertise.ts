const WORD = /[\p{L}\p{N}][\p{L}\p{N}+#._-]*/gu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** How many expertise tags and words of the role of a member occur in a text. */
export function expertiseIn(
  text: string,
  { expertiseTags = [], role = '' }: { expertiseTags?: readonly string[]; role?: string },
): number {
  const inOrder = wordsOf(text);
  const words = new Set(inOrder.flatMap((word) => [word, word.replace(/(?<![._-])[._-]+$/, '')]));
  const joined = ` ${inOrder.join(' ')} `;
  const tags = expertiseTags.filter((tag) => {
    const [first, ...more] = wordsOf(tag);
    if (first === undefined) return false;
    return more.length === 0
      ? words.has(first)
      : joined.includes(` ${[first, ...more].join(' ')} `);
  });
  return tags.length + wordsOf(role).filter((word) => words.has(word)).length;
}
