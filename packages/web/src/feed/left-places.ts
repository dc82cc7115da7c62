/** Where somebody was reading: at the end, or so far into a message. */
export type LeftPlace = 'end' | { readonly messageId: string; readonly into: number };

const MOST = 200;
const left = new Map<string, LeftPlace>();
let entries = 0;

/** The name of the entry of the browser's history that one is at, if it has one. */
function namedEntry(): string | undefined {
  const state = history.state as { readonly entry?: unknown } | null;
  return typeof state?.entry === 'string' ? state.entry : undefined;
}

/** Gives it one if it has none. It keeps it: who comes back to it finds it again. */
export function historyEntry(): string {
  const known = namedEntry();
  if (known !== undefined) return known;
  entries += 1;
  // Another page that was loaded before counted from one, too.
  const entry = `${performance.timeOrigin} ${entries}`;
  history.replaceState({ entry }, '');
  return entry;
}

export function leave(entry: string, place: LeftPlace): void {
  left.delete(entry);
  left.set(entry, place);
  const [oldest] = left.keys();
  if (left.size > MOST && oldest !== undefined) left.delete(oldest);
}

/** Where the entry that one is at was left. */
export const leftHere = (): LeftPlace | undefined => left.get(namedEntry() ?? '');
