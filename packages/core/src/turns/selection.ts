/** A member as a text may name it. */
export interface Nameable {
  readonly memberId: string;
  readonly displayName: string;
}

const MENTION = /(?<![\p{L}\p{N}_.])@([\p{L}\p{N}][\p{L}\p{N}:._-]*)/gu;

/**
 * The members that a text names without saying so: whoever it begins with, and every `@name` that
 * means exactly one of them. What could mean two means nobody.
 */
export function mentioned<M extends Nameable>(text: string, members: readonly M[]): M[] {
  const first = nameAtStart(text, members);
  const named = new Set(first ? [first] : []);
  const byName = membersByName(members);
  for (const [, token = ''] of text.matchAll(MENTION)) {
    const wanted = token.toLowerCase();
    const meant = byName.get(wanted) ?? byName.get(wanted.replace(/(?<![:._-])[:._-]+$/, ''));
    if (meant) named.add(meant);
  }
  return [...named];
}

const namesOf = ({ memberId, displayName }: Nameable): string[] => [
  memberId.toLowerCase(),
  displayName.toLowerCase(),
];

/** A name of two members leads to none of them. */
function membersByName<M extends Nameable>(members: readonly M[]): Map<string, M | undefined> {
  const byName = new Map<string, M | undefined>();
  for (const member of members) {
    for (const name of new Set(namesOf(member))) {
      byName.set(name, byName.has(name) ? undefined : member);
    }
  }
  return byName;
}

/** The longest name that the text begins with, followed by something that is not part of a word. */
function nameAtStart<M extends Nameable>(text: string, members: readonly M[]): M | undefined {
  const start = text.trimStart().replace(/^@/, '').toLowerCase();
  let longest = 0;
  let found: M[] = [];
  for (const member of members) {
    const length = Math.max(
      0,
      ...namesOf(member)
        .filter(
          (name) => start.startsWith(name) && !/^[\p{L}\p{N}_]/u.test(start.slice(name.length)),
        )
        .map((name) => name.length),
    );
    if (length === 0 || length < longest) continue;
    found = length === longest ? [...found, member] : [member];
    longest = length;
  }
  return found.length === 1 ? found[0] : undefined;
}
