import { StoaError } from '@stoa/protocol';

/**
 * Names that people cannot distinguish have the same skeleton: it ignores case, white space, combining accents and invisible
 * characters, and replaces letters of other scripts that look like Latin ones.
 */
function skeletonOf(name: string): string {
  const folded = name.normalize('NFKD').toLowerCase().normalize('NFKD').toLowerCase();
  let skeleton = '';
  for (const character of folded) {
    if (IGNORED.test(character)) continue;
    skeleton += LOOKALIKES.get(character) ?? character;
  }
  // Pairs of letters that look like one letter.
  return skeleton.replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** White space, marks, control characters, characters without width, and punctuation of ids and names. */
const IGNORED = /[\s\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800.,:;_'"`´’‘“”\-‐‑‒–—―·•]/u;

const groups: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'вьβ',
  c: 'сϲҫ',
  d: 'ԁɗ',
  e: 'еєεҽ',
  f: 'ғϝ',
  g: 'ɡԍ',
  h: 'һнԋη',
  i: 'іιıɩӏ|1lɭ',
  j: 'јϳ',
  k: 'кκқ',
  m: 'мɱ',
  n: 'пո',
  o: 'оοσө0օ',
  p: 'рρ',
  q: 'ԛ',
  r: 'гʀɼ',
  s: 'ѕʂ',
  t: 'тτ',
  u: 'υսʋ',
  v: 'ѵν',
  w: 'ѡωԝ',
  x: 'хχ',
  y: 'уүγ',
  z: 'ʐ',
};

const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries(groups).flatMap(([letter, others]) =>
    Array.from(others, (other): [string, string] => [other, letter]),
  ),
);

/** Names that only the daemon uses. */
const OWN_NAMES: readonly string[] = ['system', 'Stoa'];

/** An actor and all its names. */
export interface Named {
  readonly actorId: string;
  readonly names: readonly string[];
}

/** Refuses a name that people could confuse with that of another actor. */
export function assertDistinct(
  name: string,
  actorId: string | undefined,
  others: readonly Named[],
): void {
  const skeleton = skeletonOf(name);
  const taken = [{ actorId: 'system', names: OWN_NAMES }, ...others].find(
    (other) =>
      other.actorId !== actorId && other.names.some((known) => skeletonOf(known) === skeleton),
  );
  if (!taken && skeleton !== '') return;
  const why = taken ? `looks like a name of ${taken.actorId}` : 'has no visible letter';
  throw new StoaError('name_taken', `${JSON.stringify(name)} ${why}: choose another name`);
}
