import { LIMITS } from '@stoa/protocol';

export interface Nameable {
  readonly memberId: string;
  readonly displayName: string;
}

/** An `@` outside of words and e-mail addresses. */
const AT = /(?<![\p{L}\p{N}_.])@/gu;
/** Further `@` in a text are ignored. */
const MAX_ATS = 1_000;
/** Text after a name that makes it another, longer name: `@build-bot` does not name `build`. */
const CONTINUES = /^(?:[\p{L}\p{N}_]|[:.-][\p{L}\p{N}_])/u;
const WORD_CONTINUES = /^[\p{L}\p{N}_]/u;

/**
 * The members that a text names: at its beginning, or after an `@`. The longest matching name counts; a name that two
 * members share names nobody.
 */
export function mentioned<M extends Nameable>(text: string, members: readonly M[]): M[] {
  const start = text.trimStart().slice(0, NAME_CHARS).toLowerCase();
  const first = start.startsWith('@')
    ? undefined
    : longest(start, namesOf(members), WORD_CONTINUES);
  const named = new Set(first ? [first] : []);
  for (const member of namedByAt(text, members)) named.add(member);
  return [...named].slice(0, LIMITS.addressedMembers);
}

/** The members that a text names after an `@`, in this order. */
export function namedByAt<M extends Nameable>(text: string, members: readonly M[]): M[] {
  const lower = text.toLowerCase();
  const names = namesOf(members);
  const named = new Set<M>();
  let count = 0;
  for (const { index } of lower.matchAll(AT)) {
    if (++count > MAX_ATS || named.size >= LIMITS.addressedMembers) break;
    const member = longest(lower.slice(index + 1, index + 1 + NAME_CHARS), names, CONTINUES);
    if (member) named.add(member);
  }
  return [...named];
}

/** Names and ids are shorter than this. */
const NAME_CHARS = 200;

/** One of the names of a member, in lower case. */
type NameOf<M> = readonly [name: string, member: M];

const namesOf = <M extends Nameable>(members: readonly M[]): NameOf<M>[] =>
  members.flatMap((member): NameOf<M>[] => [
    [member.memberId.toLowerCase(), member],
    [member.displayName.toLowerCase(), member],
  ]);

/** The member with the longest name that the text begins with, if only one member has that name. */
function longest<M>(text: string, names: readonly NameOf<M>[], continues: RegExp): M | undefined {
  let length = 0;
  let found = new Set<M>();
  for (const [name, member] of names) {
    if (name.length < length || !text.startsWith(name)) continue;
    if (continues.test(text.slice(name.length))) continue;
    if (name.length > length) found = new Set();
    length = name.length;
    found.add(member);
  }
  return found.size === 1 ? [...found][0] : undefined;
}
