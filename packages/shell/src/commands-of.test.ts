import { describe, expect, it } from 'vitest';
import type { Argument } from './argument.js';
import { type Command, commandsOf } from './commands-of.js';
import { parseScript } from './parse-script.js';

function commands(text: string): readonly Command[] {
  const parsed = parseScript(text);
  if (!parsed.ok) throw new Error(`${parsed.problem} at ${parsed.at}: ${text}`);
  return commandsOf(parsed.script);
}

/** Words joined; `?` for one that is unknown, `?…` for one that can be several. */
function shown(argv: readonly Argument[]): string {
  return argv
    .map((word) => (word.type === 'fixed' ? word.text : word.splits ? '?…' : '?'))
    .join(' ');
}

function found(text: string): readonly string[] {
  return commands(text).map(({ argv }) => shown(argv));
}

describe('the commands of a script', () => {
  it.each<[string, string[]]>([
    ['a b c', ['a b c']],
    ['a; b & c && d || e | f', ['a', 'b', 'c', 'd', 'e', 'f']],
    [`a 'b c' "d" e\\ f g"h"'i'`, ['a b c d e f ghi']],
    ["a $'b\\tc\\u00e9'", ['a b\tcé']],
    ['a "" b', ['a  b']],
    ['a $x "$x" "$@" *.ts ~/x {b,c} x$y', ['a ?… ? ?… ?… ? ?… ?…']],
    ['a {} { } [ ] {b} b, c..d', ['a {} { } [ ] {b} b, c..d']],
    ['a $(b `c`)', ['b ?…', 'c', 'a ?…'].sort()],
    ['a < <(b) > >(c)', ['a', 'b', 'c']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['for x in $(a); do b $x; done', ['', 'a', 'b ?…']],
    ['case $(a) in $(b)) c;; *) d;; esac', ['a', 'b', 'c', 'd']],
    ['f() { a; }; function g { b; }; f', ['', '', 'a', 'b', 'f']],
    ['x=$(a) y=($(b)) z[$(c)]=1 d', ['', 'a', 'b', 'c', 'd', '?…'].slice(1)],
    ['a <<E\n$(b)\nE\nc', ['a', 'b', 'c']],
    ['a <<"E"\n$(b)\nE\nc', ['a', 'c']],
    ['a <<-E <<F\n\t$(b)\n\tE\n$(c)\nF', ['a', 'b', 'c']],
    ['[[ -f $(a) && b == c ]]', ['[[ -f ?… b == c ]]', 'a']],
    ['a # b; c', ['a']],
    ['a\\\n b', ['a b']],
    ['echo $((1 + 0x1f))', ['echo ?…']],
    ['echo $((x))', ['?…', 'echo ?…']],
    ['((x++))', ['?…']],
  ])('%j', (text, expected) => {
    expect([...found(text)].sort()).toEqual([...expected].sort());
  });

  it.each<[string, string[]]>([
    ['env A=b nice -n 5 c d', ['c d']],
    ['timeout --signal=KILL 5 a', ['a']],
    ['command -v a', ['command -v a']],
    ['env', ['env']],
    ['env $x', ['?…']],
    ['timeout', ['timeout']],
    ["bash -lc 'a; b' name arg", ['', 'a', 'b']],
    ["bash -c 'a ('", ['?…']],
    ['bash', ['?…']],
    ['bash x.sh', ['bash x.sh']],
    ['xargs a b', ['a b ?…']],
    ['xargs -I{} a {} x{}', ['a ?… ?…']],
    ['xargs', ['xargs']],
    ['find . -exec a {} \\; -ok b {} +', ['find . -exec a {} ; -ok b {} +', 'a ?…', 'b ?…']],
    ['eval a "b; c"', ['', 'a b', 'c']],
    ["trap 'a' EXIT; trap - EXIT", ['', 'a', 'trap - EXIT']],
    ['sudo -u x a', ['a']],
    ['exec 3>&1', ['exec']],
  ])('looks through wrappers: %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('come with their variables, files and wrappers', () => {
    expect(commands('A=1 B+=2 a x > y 2>&1')).toMatchObject([
      {
        assignments: ['A', 'B'],
        files: [
          { operator: '>', target: { text: 'y' } },
          { operator: '>&', target: { text: '1' } },
        ],
      },
    ]);
    const [inner] = commands('sudo env a');
    expect(inner?.wrappers).toMatchObject([
      { innerAt: 1, transparent: false },
      { innerAt: 1, transparent: true },
    ]);
    expect(commands('a $(b)').map(({ substituted }) => substituted)).toEqual([true, false]);
  });

  it('are unknown where scripts are nested without an end', () => {
    let text = 'rm x';
    for (let depth = 0; depth < 12; depth += 1) text = `eval ${JSON.stringify(text)}`;
    expect(found(text).at(-1)).toBe('?…');
  });
});

describe('what is not understood', () => {
  it.each([
    ...[
      'a (',
      'a )',
      '"',
      "'",
      '`',
      '$(',
      '${x',
      '$((1)',
      'if a',
      'for',
      'case x in',
      '{ a',
      '( a',
    ],
    ...['a;;', '; a', 'a &&', 'a |', '>', 'f() a', 'coproc a', 'a @(b)', '!(a)', '[[ a', '$[1]'],
    ...['a\0b', 'a\u00a0b', 'a\rb', 'a\u200bb', '\ud800', "$'\\''", '"${x-\'}\'}"', '${x-<(a)}'],
    ...['cat <<E\nx', 'cat <<E', '$(cat <<E)\nE', 'cat <<$x\n$x', 'a[ # ]=1', '{x}>y', 'a<(b)'],
    ...['cat <<E "$(\na)"\nE\n', 'cat <<E\nx\\\nE\nE\n', '(('.repeat(200), 'a'.repeat(100_001)],
  ])('%j is refused', (text) => {
    expect(parseScript(text)).toHaveProperty('problem');
  });

  it('is refused in reasonable time however it is nested', () => {
    for (const piece of ['$(', '`', '"$(', '${x:-', '((', '{ ', 'if ', '<(', '[[ ( ', 'x=(']) {
      expect(parseScript(piece.repeat(5_000)).ok).toBe(false);
    }
  });
});
