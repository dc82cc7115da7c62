import { StoaError } from '@stoa/protocol';

/**
 * Names that people cannot tell apart have the same skeleton: case, blanks, accents that are written apart,
 * invisible characters and letters of other scripts that look like Latin ones make no difference.
 */
function skeletonOf(name: string): string {
  const folded = name.normalize('NFKD').toLowerCase().normalize('NFKD').toLowerCase();
  let skeleton = '';
  for (const character of folded) {
    if (IGNORED.test(character)) continue;
    skeleton += LOOKALIKES.get(character) ?? character;
  }
  // Two letters that together look like one.
  return skeleton.replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** Blanks, marks, controls, what has no width, and the signs that ids and names are written with. */
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

/** Names that only the daemon speaks under. */
const OWN_NAMES: readonly string[] = ['system', 'Stoa'];

/** Somebody who is called something. */
export interface Named {
  readonly actorId: string;
  readonly names: readonly string[];
}

/** Refuses a name that people could take for somebody else's. */
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
