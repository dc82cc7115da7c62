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
  const named = first ? [first] : [];
  for (const [, token = ''] of text.matchAll(MENTION)) {
    const meant = meantBy(token, members) ?? meantBy(token.replace(/[:._-]+$/, ''), members);
    if (meant && !named.includes(meant)) named.push(meant);
  }
  return named;
}

const namesOf = ({ memberId, displayName }: Nameable): string[] => [
  memberId.toLowerCase(),
  displayName.toLowerCase(),
];

function meantBy<M extends Nameable>(token: string, members: readonly M[]): M | undefined {
  const wanted = token.toLowerCase();
  const meant = members.filter((member) => namesOf(member).includes(wanted));
  return meant.length === 1 ? meant[0] : undefined;
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
