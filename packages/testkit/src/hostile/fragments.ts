/**
 * Pieces of text that make a careless reader slow when they are repeated: openings that are never closed,
 * blanks, marks that may mean two things, escapes, and characters of no width.
 */
export const HOSTILE_FRAGMENTS: readonly string[] = [
  ...[' ', '\t', '\n', ' \n', '\r', '\r\n', 'a', 'a ', 'ab', '0', '1e', '.', ',', ';', ':', '='],
  ...['<', '< ', '<!--', '<a ', '<a href=', '<title ', '<script', '<script>', '</style', '</', '>'],
  ...['<untrusted', '</untrusted', '&', '&#', '&#x', '&amp', '&amp;', '\uff1c ', '\u2028'],
  ...['[', ']', '](', '![', '[a](', '[^', '(', ')', '()', '{', '}', '{a,', '{a,b}', '|', '| - '],
  ...['*', '**', '* ', '_', '__', '~~', '~', '`', '``', '```\n', '~~~\n', '> ', '- ', '1. ', '# '],
  ...['*a', '**/', '*/', '?', '[a-', '[!', '!', '\\', '\\\\', '\\*', '\\"', '"', "'", '"\\'],
  ...['@', '@a', '@a ', '/', '/a ', '//', 'a/', '../', '-', '--', '--- \n', '+', '+\n', '%', '%0'],
  ...['$', '$(', '${', '$((', '<<a\n', 'a=', 'a|', 'a;', 'a&&', 'http://', 'mailto:', 'a@', 'a.'],
  ...['\u001b', '\u001b[', '\u001b]', '\u001b]0;', '\u001bP', '\u001b[1;', '\u009b', '\u0000'],
  ...['\u200b', '\ud800', '\udc00', '\u{e0041}', '\u0301', 'é', '😀', '漢', '\u202e', '\ufeff'],
  ...['@@ -1 +1 @@\n', '--- a\n+++ b\n', 'a\nb\n', 'AND ', 'NEAR(', 'data: \n', 'Bearer '],
];

/** One kind of text that can be made as long as one likes. */
export interface HostileText {
  readonly name: string;
  /** About this many characters. */
  readonly ofLength: (chars: number) => string;
  readonly isOnlyRepeated: boolean;
}

const repeated = (fragment: string, chars: number): string =>
  fragment.repeat(Math.ceil(chars / fragment.length));

/** Each fragment alone, behind an opening mark, and before an end that fits nothing. */
export const HOSTILE_TEXTS: readonly HostileText[] = HOSTILE_FRAGMENTS.flatMap((fragment) => {
  const name = JSON.stringify(fragment);
  const form = (title: string, before: string, after: string): HostileText => ({
    name: title,
    ofLength: (chars) => before + repeated(fragment, chars) + after,
    isOnlyRepeated: before === '' && after === '',
  });
  return [
    form(name, '', ''),
    form(`"<" and ${name}`, '<', ''),
    form(`${name} and an end`, '', '\u0001x'),
  ];
});
