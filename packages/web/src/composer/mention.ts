/** A member as it is named in a text. */
export interface Nameable {
  readonly memberId: string;
  readonly displayName: string;
}

/** An `@` that is being written: its position, and the text after it up to the caret. */
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
  const rankOf = ({ memberId, displayName }: M): number => {
    const name = displayName.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.split(/\s+/).some((word) => word.startsWith(wanted))) return 1;
    return memberId.toLowerCase().startsWith(wanted) ? 2 : -1;
  };
  return members
    .map((member) => ({ member, at: rankOf(member) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || a.member.displayName.localeCompare(b.member.displayName))
    .slice(0, SHOWN)
    .map(({ member }) => member);
}

/** The text with the name in it, and where the caret goes. If two members have the same name, the id is used instead. */
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
