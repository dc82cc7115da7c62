const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const TAG_CHARS = 3;
const DIGIT_BITS = 6;

/**
 * A short hash of a member id: a decision about hundreds of members has space for tags, but not for ids. Different
 * ids can have the same tag (one pair in 262,144), so a program that stores tags must compare the ids too.
 */
export function memberTag(memberId: string): string {
  // FNV-1a. The upper bits are folded into the lower ones, which are used.
  let hash = 0x811c9dc5;
  for (let i = 0; i < memberId.length; i++) {
    hash = Math.imul(hash ^ memberId.charCodeAt(i), 0x01000193);
  }
  let bits = hash ^ (hash >>> (TAG_CHARS * DIGIT_BITS));
  let tag = '';
  for (let i = 0; i < TAG_CHARS; i++) {
    tag += DIGITS.charAt(bits & (DIGITS.length - 1));
    bits >>>= DIGIT_BITS;
  }
  return tag;
}

/** The tags of a group, which are stored as one string. */
export function tagsIn(tags = ''): readonly string[] {
  return Array.from({ length: tags.length / TAG_CHARS }, (_, i) =>
    tags.slice(i * TAG_CHARS, (i + 1) * TAG_CHARS),
  );
}
