import { LIMITS } from '@stoa/protocol';

/** A member as a text may name it. */
export interface Nameable {
  readonly memberId: string;
  readonly displayName: string;
}

/** An `@` that does not stand inside a word or an address. */
const AT = /(?<![\p{L}\p{N}_.])@/gu;
/** Of a text with more of them, only the first count. */
const MOST_ATS = 1_000;
/** What makes a name longer than the one that was found: `@build-bot` does not name `build`. */
const GOES_ON = /^(?:[\p{L}\p{N}_]|[:.-][\p{L}\p{N}_])/u;
const WORD_GOES_ON = /^[\p{L}\p{N}_]/u;

/**
 * The members that a text names: whoever it begins with, and whoever is named after an `@`. The longest
 * name counts; what could mean two means nobody.
 */
export function mentioned<M extends Nameable>(text: string, members: readonly M[]): M[] {
  const start = text.trimStart().slice(0, NAME_CHARS).toLowerCase();
  const first = start.startsWith('@') ? undefined : longest(start, namesOf(members), WORD_GOES_ON);
  const named = new Set(first ? [first] : []);
  for (const member of namedByAt(text, members)) named.add(member);
  return [...named].slice(0, LIMITS.addressedMembers);
}

/** The members that a text names after an `@`, in the order they are named. */
export function namedByAt<M extends Nameable>(text: string, members: readonly M[]): M[] {
  const lower = text.toLowerCase();
  const names = namesOf(members);
  const named = new Set<M>();
  let count = 0;
  for (const { index } of lower.matchAll(AT)) {
    if (++count > MOST_ATS || named.size >= LIMITS.addressedMembers) break;
    const meant = longest(lower.slice(index + 1, index + 1 + NAME_CHARS), names, GOES_ON);
    if (meant) named.add(meant);
  }
  return [...named];
}

/** Names and ids are shorter than this. */
const NAME_CHARS = 200;

/** A member under one of its names, in lower case. */
type Known<M> = readonly [name: string, member: M];

const namesOf = <M extends Nameable>(members: readonly M[]): Known<M>[] =>
  members.flatMap((member): Known<M>[] => [
    [member.memberId.toLowerCase(), member],
    [member.displayName.toLowerCase(), member],
  ]);

/** The member whose name is the longest that the text begins with, if only one has it. */
function longest<M>(text: string, names: readonly Known<M>[], goesOn: RegExp): M | undefined {
  let length = 0;
  let found = new Set<M>();
  for (const [name, member] of names) {
    if (name.length < length || !text.startsWith(name)) continue;
    if (goesOn.test(text.slice(name.length))) continue;
    if (name.length > length) found = new Set();
    length = name.length;
    found.add(member);
  }
  return found.size === 1 ? [...found][0] : undefined;
}
