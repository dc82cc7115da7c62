import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Argument } from './argument.js';
import { commandsOf } from './commands-of.js';
import { parseScript } from './parse-script.js';

function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'stoa-shell-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function bash(args: readonly string[], input: string) {
  return spawnSync('/bin/bash', ['--norc', '--noprofile', ...args], {
    cwd: directory,
    env: { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' },
    input,
    encoding: 'utf8',
    timeout: 60_000,
  });
}

/** Which of the scripts bash finds no fault with. */
function acceptedByBash(scripts: readonly string[]): readonly boolean[] {
  const checks = scripts.map(
    (script) => `/bin/bash -n -c -- ${quoteWord(script)} 2>/dev/null && echo yes || echo no`,
  );
  const { stdout } = bash([], checks.join('\n'));
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line === 'yes');
}

function wordsOf(script: string): readonly (readonly Argument[])[] | undefined {
  const parsed = parseScript(script);
  return parsed.ok ? commandsOf(parsed.script).map(({ argv }) => argv) : undefined;
}

describe('the parser beside bash', () => {
  it('gives back any words that were quoted', () => {
    const character = fc.constantFrom(...Array.from('ab \t\n\'"\\$`(){}[]*?;&|<>#~!=-é\u00a0😀'));
    const word = fc.string({ unit: character });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const [argv] = wordsOf(words.map(quoteWord).join(' ')) ?? [];
        expect(argv).toEqual(words.map((text) => ({ type: 'fixed', text })));
      }),
      { numRuns: 100 },
    );
  });

  it('never throws, for any input', () => {
    const piece = fc.constantFrom(
      ...PIECES,
      '((',
      '))',
      '[[',
      ']]',
      '${',
      '}',
      '<<E',
      '\nE\n',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
        const parsed = parseScript(pieces.join(''));
        if (parsed.ok) commandsOf(parsed.script);
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds every command that bash runs', () => {
    const scripts = accepted(fc.oneof(random(PIECES), mangled(PIECES)), {
      numRuns: 150,
      seed: 11,
    });
    let ran = 0;
    for (const [text, commands] of runInBash(scripts)) {
      const found = wordsOf(text) ?? [];
      ran += commands.length;
      const missed = commands.filter((argv) => !found.some((words) => couldBe(words, argv)));
      expect({ text, missed }).toEqual({ text, missed: [] });
    }
    expect(ran).toBeGreaterThan(scripts.length / 2);
  }, 90_000);

  it('accepts no random text that bash refuses', () => {
    const pieces = [...PIECES, ...SHAPES];
    const scripts = accepted(fc.oneof(random(pieces), mangled(pieces)), {
      numRuns: 120,
      seed: 12,
    });
    const verdicts = acceptedByBash(scripts);
    expect(verdicts).toHaveLength(scripts.length);
    expect(scripts.filter((_, index) => !verdicts[index])).toEqual([]);
  }, 90_000);
});

/** Names that are no commands, so that bash hands each to the handler that writes it down. */
const PIECES = [
  ...[
    'aa',
    'bb',
    'cc',
    ' ',
    ' ',
    ' ',
    '\t',
    '\n',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '(',
    ')',
    '{ ',
    '; }',
  ],
  ...["'", '"', '\\', '#', '`', '$(', ')', '$', '${x}', '$x', '"$x"', "$'", '\\\n', '{aa,bb}', '~'],
  ...['*', '?', '!', ' ! ', '=', 'v=', '>/dev/null ', '2>&1 ', '<<E\n', '\nE\n', '<<<', '$((1+2))'],
];
const SHAPES = [
  ...['if ', ' then ', '; then ', ' else ', '; fi', ' fi', 'while ', ' do ', '; do ', '; done'],
  ...[
    'for v in ',
    'case aa in ',
    ' esac',
    ';;',
    'in',
    'f() ',
    '[[ ',
    ' ]]',
    ' == ',
    '-f ',
    '((',
    '))',
  ],
  ...[
    'function f ',
    'time ',
    'v=(',
    '<(',
    '>(',
    '|&',
    '&>',
    '<<-E\n',
    '\n\tE\n',
    '${x:-',
    '}',
    '[',
    ']',
  ],
];

function random(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 })
    .map((chosen) => chosen.join(''));
}

const DEPTH = { maxDepth: 2, depthIdentifier: 'script' };

/** Scripts of every shape, one in another. */
const { script: wellFormed } = fc.letrec<{ script: string; word: string; command: string }>(
  (tie) => ({
    word: fc.oneof(
      DEPTH,
      fc.constantFrom(
        'aa',
        "'b b'",
        '"c c"',
        '\\d',
        'e\\\nf',
        '$x',
        '"$x"',
        '*',
        "$'g\\n'",
        '""',
        '{h,i}',
      ),
      tie('script').map((script) => `$(${script})`),
      tie('script').map((script) => `"j $( ${script}\n)"`),
      tie('word').map((word) => `\${x:-${word}}`),
      tie('script').map((script) => `\`${script.replaceAll(/[\\`$]/g, '\\$&')}\``),
    ),
    command: fc.oneof(
      DEPTH,
      fc.array(tie('word'), { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
      tie('script').map((script) => `( ${script} )`),
      tie('script').map((script) => `{ ${script}\n}`),
      tie('script').map((script) => `! if ${script}; then kk; else ll; fi`),
      tie('script').map((script) => `for v in m n; do ${script}\ndone`),
      tie('script').map((script) => `case aa in (aa|b) ${script} ;; *) oo; esac`),
      tie('script').map((script) => `ff() { ${script}\n}; ff`),
      tie('word').map((word) => `v=${word} pp >/dev/null 2>&1`),
      tie('word').map((word) => `qq <<E\n${word}\nE\n`),
      tie('word').map((word) => `[[ ${word} == r* || -n s ]] && tt`),
      tie('script').map((script) => `eval '${script.replaceAll("'", `'\\''`)}'`),
      tie('word').map((word) => `command -p ${word} uu`),
      tie('word').map((word) => `printf -v v ${word}; printf -v 'v[$(ww)]' x`),
      tie('word').map((word) => `read v <<< ${word}; test -v 'v[$(xx)]'`),
      tie('word').map((word) => `export v=${word}; unset 'v[$(yy)]'; mapfile v <<< zz`),
    ),
    script: fc
      .array(
        fc.tuple(tie('command'), fc.constantFrom(' ; ', ' && ', ' || ', ' | ', '\n', ' # vv\n')),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((parts) =>
        parts
          .map((part) => part.join(''))
          .join('')
          .replace(/ (?:;|&&|\|\||\|) $/, ''),
      ),
  }),
);

/** A sound script with a piece put in or taken out somewhere: where parsers disagree. */
const mangled = (pieces: readonly string[]) =>
  fc
    .tuple(wellFormed, fc.nat(), fc.nat(3), fc.constantFrom(...pieces, ''))
    .map(([script, offset, taken, piece]) => {
      const at = offset % (script.length + 1);
      return script.slice(0, at) + piece + script.slice(at + taken);
    });

function accepted(scripts: fc.Arbitrary<string>, parameters: fc.Parameters<string>): string[] {
  return [
    ...new Set(
      fc.sample(
        scripts.filter((text) => parseScript(text).ok),
        parameters,
      ),
    ),
  ];
}

/** Runs scripts and tells which commands were looked for, with their words. */
function runInBash(scripts: readonly string[]): Map<string, readonly (readonly string[])[]> {
  const ran = new Map<string, readonly (readonly string[])[]>();
  const program = scripts.map((script, index) =>
    [`n=${index}`, `( eval ${quoteWord(script)} ) 1>/dev/null 2>/dev/null </dev/null & wait`].join(
      '\n',
    ),
  );
  // One line for each, written at once: commands of a pipeline run at the same time.
  const handler = String.raw`
    exec 9>&1
    command_not_found_handle() {
      local line=$n word
      for word; do
        word=${'$'}{word//\\/\\\\}; word=${'$'}{word//$'\n'/\\n}; line+=$'\t'${'$'}{word//$'\t'/\\t}
      done
      printf '%s\n' "$line" >&9
      return $(( $# % 2 ))
    }
    unset x v
    FUNCNEST=9
  `;
  const { stdout, status } = bash([], [handler, ...program, 'exit 0'].join('\n'));
  expect(status).toBe(0);
  for (const script of scripts) ran.set(script, []);
  for (const line of stdout.split('\n').slice(0, -1)) {
    const [index, ...words] = line.split('\t');
    const script = scripts[Number(index)] ?? '';
    ran.set(script, [...(ran.get(script) ?? []), words.map(decoded)]);
  }
  return ran;
}

function decoded(word: string): string {
  return word.replaceAll(/\\([\\nt])/g, (_, escaped: string) =>
    escaped === 'n' ? '\n' : escaped === 't' ? '\t' : '\\',
  );
}

/** Whether a command that was found could have run with these words. */
function couldBe([name, ...words]: readonly Argument[], argv: readonly string[]): boolean {
  // Rules know nothing of a command whose name is unknown, and treat it so.
  if (name?.type === 'unknown') return true;
  return argv[0] === name?.text && couldFollow(words, argv.slice(1));
}

function couldFollow(words: readonly Argument[], argv: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (!word) return argv.length === 0;
  if (word.type === 'fixed') return argv[0] === word.text && couldFollow(rest, argv.slice(1));
  if (!word.splits) return argv.length > 0 && couldFollow(rest, argv.slice(1));
  return argv.some((_, taken) => couldFollow(rest, argv.slice(taken))) || couldFollow(rest, []);
}
