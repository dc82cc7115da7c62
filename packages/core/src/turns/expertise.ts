const WORD = /[\p{L}\p{N}][\p{L}\p{N}+#._-]*/gu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** How many of the things a member is there for a text speaks of: its tags, and the words of its role. */
export function expertiseIn(
  text: string,
  { expertiseTags = [], role = '' }: { expertiseTags?: readonly string[]; role?: string },
): number {
  const spoken = wordsOf(text);
  const words = new Set(spoken.flatMap((word) => [word, word.replace(/(?<![._-])[._-]+$/, '')]));
  const joined = ` ${spoken.join(' ')} `;
  const tags = expertiseTags.filter((tag) => {
    const [first, ...more] = wordsOf(tag);
    if (first === undefined) return false;
    return more.length === 0
      ? words.has(first)
      : joined.includes(` ${[first, ...more].join(' ')} `);
  });
  return tags.length + wordsOf(role).filter((word) => words.has(word)).length;
}
