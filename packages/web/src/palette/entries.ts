/** Something the palette can lead to. */
export interface Entry {
  readonly key: string;
  readonly section: string;
  readonly title: string;
  /** What helps to tell it from others. */
  readonly hint?: string | undefined;
  readonly run: () => void;
}

const PER_SECTION = 8;

/** Those whose titles have every word of the query in them, in any order; whose title begins with it first. */
export function fitting(entries: readonly Entry[], query: string): readonly Entry[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  const found = entries.filter(({ title, section }) => {
    const text = `${title} ${section}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const begins = ({ title }: Entry): number => (title.toLowerCase().startsWith(wanted) ? 0 : 1);
  const counts = new Map<string, number>();
  return found
    .toSorted((a, b) => begins(a) - begins(b))
    .filter(({ section }) => {
      const count = (counts.get(section) ?? 0) + 1;
      counts.set(section, count);
      return count <= PER_SECTION;
    });
}

/** In the order in which their first entry stands. */
export function inSections(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const sections = new Map<string, Entry[]>();
  for (const entry of entries) {
    const known = sections.get(entry.section);
    if (known) known.push(entry);
    else sections.set(entry.section, [entry]);
  }
  return sections;
}
