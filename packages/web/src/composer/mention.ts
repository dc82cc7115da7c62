/** A member as it is named in a text. */
export interface Nameable {
  readonly memberId: string;
  readonly displayName: string;
}

/** An `@` that is being written: where it stands, and what follows it up to the caret. */
export interface Mention {
  readonly from: number;
  readonly query: string;
}

const SHOWN = 8;

export function mentionAt(text: string, caret: number): Mention | undefined {
  const found = /(?<![\p{L}\p{N}_.])@([\p{L}\p{N}:._-]*)$/u.exec(text.slice(0, caret));
  return found ? { from: found.index, query: found[1] ?? '' } : undefined;
}

/** Those whose name begins so, then those of whose names another word or the id does. */
export function suggested<M extends Nameable>(members: readonly M[], query: string): readonly M[] {
  const wanted = query.toLowerCase();
  const place = ({ memberId, displayName }: M): number => {
    const name = displayName.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.split(/\s+/).some((word) => word.startsWith(wanted))) return 1;
    return memberId.toLowerCase().startsWith(wanted) ? 2 : -1;
  };
  return members
    .map((member) => ({ member, at: place(member) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || a.member.displayName.localeCompare(b.member.displayName))
    .slice(0, SHOWN)
    .map(({ member }) => member);
}

/** The text with the name in it, and where the caret goes. Where two have one name, the id says who is meant. */
export function completed<M extends Nameable>(
  text: string,
  caret: number,
  mention: Mention,
  member: M,
  members: readonly M[],
): { readonly text: string; readonly caret: number } {
  const isShared = members.some(
    (other) => other !== member && other.displayName === member.displayName,
  );
  const name = `@${isShared ? member.memberId : member.displayName}`;
  const rest = text.slice(caret);
  const gap = rest.startsWith(' ') ? '' : ' ';
  return {
    text: text.slice(0, mention.from) + name + gap + rest,
    caret: mention.from + name.length + 1,
  };
}

/** The members that a text names after an `@`; a name of several words counts whole, and what could mean two nobody. */
export function addressedIn(text: string, members: readonly Nameable[]): readonly string[] {
  const lower = text.toLowerCase();
  const found: string[] = [];
  for (const { index } of lower.matchAll(/(?<![\p{L}\p{N}_.])@/gu)) {
    const memberId = namedBy(lower.slice(index + 1), members);
    if (memberId !== undefined && !found.includes(memberId)) found.push(memberId);
  }
  return found;
}

function namedBy(rest: string, members: readonly Nameable[]): string | undefined {
  let longest = 0;
  let meant = new Set<string>();
  for (const { memberId, displayName } of members) {
    for (const name of [memberId.toLowerCase(), displayName.toLowerCase()]) {
      const isWhole = rest.startsWith(name) && !/^[\p{L}\p{N}_]/u.test(rest.slice(name.length));
      if (!isWhole || name.length < longest) continue;
      if (name.length > longest) meant = new Set();
      longest = name.length;
      meant.add(memberId);
    }
  }
  return meant.size === 1 ? [...meant][0] : undefined;
}
