import type { Session } from '@stoa/protocol';
import type { Piece } from './snippet.js';

/** Something the palette can lead to. */
export interface Entry {
  readonly key: string;
  readonly section: string;
  readonly title: string;
  /** What helps to tell it from others. */
  readonly hint?: string | undefined;
  /** What it is also found by. */
  readonly also?: string | undefined;
  /** The title in pieces, where some of it is marked. */
  readonly pieces?: readonly Piece[];
  readonly run: () => void;
}

const PER_SECTION = 8;

/** Who works there comes first: of several sessions of one channel that tells one from another. */
export function entryOfSession(
  {
    agentName,
    sessionId,
    status,
    title,
  }: Pick<Session, 'agentName' | 'sessionId' | 'status' | 'title'>,
  run: () => void,
): Entry {
  const hint = title === undefined ? status : `${title}, ${status}`;
  return { key: sessionId, section: 'Sessions', title: agentName, also: title, hint, run };
}

/** Those that have every word of the query in their words, in any order; whose title begins with it first. */
export function fitting(entries: readonly Entry[], query: string): readonly Entry[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  const found = entries.filter(({ title, section, also = '' }) => {
    const text = `${title} ${section} ${also}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const begins = ({ title }: Entry): number => (title.toLowerCase().startsWith(wanted) ? 0 : 1);
  const sections = inSections(found.toSorted((a, b) => begins(a) - begins(b)));
  // In the order in which they are shown: it is the one of the arrows.
  return [...sections.values()].flatMap((section) => section.slice(0, PER_SECTION));
}

/** In the order of their first entries. */
export function inSections(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const sections = new Map<string, Entry[]>();
  for (const entry of entries) {
    const known = sections.get(entry.section);
    if (known) known.push(entry);
    else sections.set(entry.section, [entry]);
  }
  return sections;
}
