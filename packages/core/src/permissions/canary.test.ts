import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsOf, parseScript } from '@stoa/shell';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decide } from './decide.js';
import { allowingRule } from './matching.js';
import type { ToolRequest } from './request.js';
import { parseRule } from './rules.js';

/**
 * Scripts that try to bypass allow rules. Each script that the rules allow runs in bash, next to programs that would create a
 * canary file if anything else ran: programs of the
 * same names in a directory that is not in the path, a program that runs its input, one that runs
 * what a variable names, one that runs what an option names, and values of variables that run a
 * command when a builtin evaluates them.
 */
const SCRIPTS = Number(
  process.env['STOA_FUZZ_SCRIPTS'] ?? (process.env['STOA_SOAK'] === '1' ? 500_000 : 4_000),
);
const SEED = Number(process.env['STOA_FUZZ_SEED'] ?? 34);
const BATCH = 500;
const MARK = 'the-text-of-a-secret-file';

/** Commands to which somebody answered "always". */
const APPROVED = [
  ...['printf hi', 'cat README.md', 'uniq a', 'file a', 'ls', 'ls -la', 'git status', 'echo done'],
  ...['run-input', 'run-variable', 'run-option a', 'run-option', 'head -1 a', 'wc -l a', 'true'],
  ...['test -f a', '[ -f a ]', '[[ -f a ]]', 'sort a', 'find . -name a', 'grep x a', 'cat', 'uniq'],
  ...['bash ok.sh', './ok.sh', 'command -v ls', 'type ls', 'hash', 'jobs', 'wait', 'break', ':'],
];

/** Rules as people write them. */
const WRITTEN = [
  ...['printf *', 'read *', 'getopts *', 'mapfile *', 'readarray *', 'wait *', 'test *', '[ *'],
  ...['[[ *', 'hash *', 'unset *', 'export *', 'declare *', 'typeset *', 'readonly *', 'local *'],
  ...['let *', 'set *', 'shopt *', 'echo *', 'ls *', 'cat *', 'uniq *', 'file *', 'git status*'],
  ...[
    'sort *',
    'find *',
    'jobs *',
    'trap *',
    'exec *',
    'command *',
    'builtin *',
    'env *',
    'xargs *',
  ],
  ...[
    'timeout *',
    'eval *',
    'type *',
    'run-variable *',
    'cd *',
    'pushd *',
    'alias *',
    'sed *',
    ': *',
  ],
];

let root = '';
let workspace = '';
let canary = '';
let contents: readonly string[] = [];

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'stoa-canary-'));
  workspace = join(root, 'workspace');
  canary = join(root, 'canary');
  for (const name of ['workspace/evil', 'bin', 'batch', 'home']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  const evil = `#!/bin/sh\necho evil > ${canary}\n`;
  program('bin/run-input', '#!/bin/sh\nexec /bin/sh\n');
  program('bin/run-variable', '#!/bin/sh\n[ -z "$PLUGIN" ] || . "$PLUGIN"\n');
  program(
    'bin/run-option',
    '#!/bin/sh\nfor word; do case $word in run=*) . "${word#run=}";; esac; done\n',
  );
  for (const name of ['ls', 'cat', 'git', 'head', 'sort', 'x', 'run-option']) {
    program(`workspace/evil/${name}`, evil);
  }
  program('workspace/evil.sh', evil);
  program('workspace/ok.sh', '#!/bin/sh\n:\n');
  writeFileSync(join(workspace, 'README.md'), `echo evil > ${canary}\n`);
  writeFileSync(join(workspace, 'a'), 'run=./evil.sh\n');
  writeFileSync(join(root, 'secret'), `${MARK}\n`);
  spawnSync('git', ['init', '-q'], {
    cwd: workspace,
    env: { PATH: process.env['PATH'], HOME: root },
  });
  contents = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter(isOurs);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function program(name: string, text: string): void {
  writeFileSync(join(root, name), text);
  chmodSync(join(root, name), 0o755);
}

/** Files that Git creates. */
function isOurs(name: string): boolean {
  return !name.startsWith('.git/');
}

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Builds scripts out of `$`-free templates: N a name, V a value, W any word, C a command. */
class Generator {
  private readonly run = `echo evil > ${canary}`;

  constructor(private readonly next: (below: number) => number) {}

  script(): string {
    const joins = [' ; ', ' && ', ' || ', ' | ', '\n', ' & '];
    let script = this.command(2);
    for (let more = this.next(3); more > 0; more -= 1) script += this.of(joins) + this.command(2);
    return script;
  }

  private of<Item>(items: readonly Item[]): Item {
    return items[this.next(items.length)] as Item;
  }

  private name(): string {
    return this.of(NAMES);
  }

  private value(): string {
    const evaluated = [`a[$(${this.run})]`, `a[\\x24(${this.run})]`, `$(${this.run})`];
    const values = ['./evil', './evil.sh', 'run=./evil.sh', this.run, '-v', 'x', 'a', 'PATH'];
    return this.next(2) === 0 ? quote(this.of(evaluated)) : quote(this.of(values));
  }

  private word(): string {
    switch (this.next(6)) {
      case 0:
        return this.of(OPTIONS);
      case 1:
        return this.value();
      case 2:
        return this.of(EXPANSIONS);
      case 3:
        return this.of([canary, join(root, 'secret'), '../secret', '../canary', 'README.md', 'a']);
      case 4:
        return `${this.name()}=${this.value()}`;
      default:
        return this.name();
    }
  }

  private command(depth: number): string {
    const kind = this.next(depth > 0 ? 12 : 6);
    if (kind < 3) return this.of(APPROVED) + this.extras();
    if (kind < 4) return this.of(WRITTEN).replace(/\s?\*$/, '') + this.words() + this.extras();
    if (kind < 6) return this.filled(this.of(BUILTINS), depth);
    if (kind < 10) return this.filled(this.of(WRAPPERS), depth) + this.extras();
    return this.filled(this.of(SHAPES), depth);
  }

  private words(): string {
    let words = '';
    for (let more = this.next(4); more > 0; more -= 1) words += ` ${this.word()}`;
    return words;
  }

  private extras(): string {
    switch (this.next(12)) {
      case 0:
        return ` ${this.word()}`;
      case 1:
        return ` <<< ${this.value()}`;
      case 2:
        return ` < ${this.word()}`;
      case 3:
        return ` ${this.of(['>', '>>', '2>', '&>', '<>', '>|', '3<', '<&', '>&'])} ${this.word()}`;
      case 4:
        return this.of([' >/dev/null', ' 2>&1', ' </dev/null', ' <&0']);
      case 5:
        return ` <<E\n${this.of([this.run, '$x', '$((x))', '${x@P}', '${PATH:=x}'])}\nE\n`;
      default:
        return '';
    }
  }

  /** Replaces each letter of a template separately; `Q` is a command in single quotes. */
  private filled(template: string, depth: number): string {
    return template.replaceAll(/\b[NVWCQK]\b/g, (letter) => {
      switch (letter) {
        case 'N':
          return this.name();
        case 'V':
          return this.value();
        case 'W':
          return this.word();
        case 'K':
          return this.letters();
        case 'Q':
          return quote(this.command(depth - 1));
        default:
          return this.command(depth - 1);
      }
    });
  }

  private letters(): string {
    let letters = this.of(['c', 'ec', 'xc', 'lc']);
    for (let more = this.next(3); more > 0; more -= 1)
      letters = this.of(Array.from('aekhxubHB')) + letters;
    return letters;
  }
}

const NAMES = [
  ...['PATH', 'x', 'y', 'PLUGIN', 'BASH_ENV', 'PS4', 'IFS', 'PROMPT_COMMAND', 'a', 'OPTIND', 'ENV'],
  ...['GIT_CONFIG_COUNT', 'SHELLOPTS', 'BASH_CMDS', 'LD_PRELOAD', 'HOME', 'CDPATH'],
];
const OPTIONS = [
  ...[
    '-v',
    '-p',
    '-a',
    '-n',
    '-i',
    '-C',
    '-x',
    '-k',
    '-o',
    '-r',
    '-t',
    '-c',
    '--',
    '-',
    '-e',
    '-f',
  ],
  ...['keyword', '1', '-R', '-u', '=', '-eq', '!', '-o keyword', '+k', '-s', '-p ./evil/ls', '-m'],
];
const EXPANSIONS = [
  ...['$x', '"$x"', '"$y" "$x"', '$y', '$1', '"$@"', '$((x))', '${x@P}', '${!x}', '${x:=v}', '*'],
  ...[
    '${a[x]}',
    '${x:y}',
    '${x:-$y}',
    '"${a[$x]}"',
    '{-v,$x}',
    '$((1+1))',
    '${#x}',
    '"$REPLY"',
    '~',
  ],
  ...["$'\\x61[\\x24(id)]'", '$(ls)', '<(ls)', '`ls`', '[a]', '"${x}"', '$?', '${y}x', '${x%%b*}'],
];
const BUILTINS = [
  ...[
    'printf -v N V',
    'printf -vx V',
    'printf -v W V',
    'printf W W',
    'printf -- W',
    'read N <<< V',
  ],
  ...['read -r N N <<< V', 'read -a N <<< V', 'read -p x W <<< V', 'read W <<< V', 'read <<< V'],
  ...['getopts a N -a V', 'getopts W W W', 'mapfile N <<< V', 'mapfile -t W <<< V', 'wait -n -p W'],
  ...['readarray -c 1 -C V N <<< V', 'readarray -O 1 N <<< V', 'wait -p N', 'wait W', 'wait $!'],
  ...[
    'declare N=V',
    'declare -n x=N',
    'declare -i x=V',
    'declare -a W',
    'declare -p W',
    'export W',
  ],
  ...[
    'export N=V',
    'export -n N',
    'typeset -x N=V',
    'readonly N=V',
    'local N=V',
    'unset W',
    'unset N',
  ],
  ...['unset -f ls', 'test -v W', 'test W W', 'test W W W', 'test ! -v W', '[ -v W ]', '[ W W ]'],
  ...['[ -n W -o -v W ]', '[ W = W ]', '[[ -v W ]]', '[[ W -eq 1 ]]', '[[ -n W ]]', '[[ -R W ]]'],
  ...[
    '[[ W == W ]]',
    'hash -p ./evil/ls ls',
    'hash -d ls',
    'hash W W W',
    'let W',
    'let x=1',
    '(( x ))',
  ],
  ...[
    'set -k',
    'set -a',
    'set -- W W',
    'set -o keyword',
    'set -e',
    'set W',
    'set -euo pipefail',
    'set',
  ],
  ...[
    'shopt -s expand_aliases',
    'shopt -so keyword',
    'shopt -s W',
    'shopt -s nullglob',
    'alias ls=V',
  ],
  ...[
    'jobs -x W',
    'jobs W',
    'enable -f W x',
    'enable -n ls',
    'trap V DEBUG',
    'trap Q EXIT',
    'eval V',
  ],
  ...['eval Q', 'exec W', 'exec < W', 'exec <<< V', 'compgen -C V', 'complete -C V x', 'bind -x V'],
  ...['source W', '. ./evil.sh', '. /dev/stdin <<< V', 'command -v W', 'type W', 'cd W', 'pushd W'],
  ...[
    'history -s V',
    'fc -s',
    'ulimit -c 0',
    'umask 022',
    'shift',
    'true W',
    ': ${x:=V}',
    ': W',
    'N=V',
  ],
  ...['a=(V V)', 'a[x]=V', 'N+=V', 'coproc ls', 'caller', 'dirs W', 'let W W', 'times', 'echo W W'],
  ...['sed W a', 'sed -n V a', 'uniq a W', 'file W W', 'sort W a', 'git status W'],
];
const WRAPPERS = [
  ...[
    'env C',
    'env N=V C',
    'env -i C',
    'env -u N C',
    'env W C',
    'timeout 5 C',
    'timeout W C',
    'nice C',
  ],
  ...['nice -n 5 C', 'command C', 'command -p C', 'builtin C', 'exec C', 'exec -a x C', 'nohup C'],
  ...['stdbuf -o0 C', 'setsid C', 'time C', 'time -p C', 'xargs C <<< V', 'xargs -n 1 C <<< V'],
  ...[
    'xargs -I x -n 2 C <<< V',
    'xargs -I x -L 1 C <<< V',
    'xargs -I x C <<< V',
    'xargs -n 1 -I x C <<< V',
    'xargs -L 1 C < a',
  ],
  ...[
    'xargs -I a C < a',
    'find . -name a -exec C ;',
    "find . -name a -exec C ';'",
    'eval Q',
    'eval C',
  ],
  ...[
    "find . -name a -exec C {} '+'",
    "find . -maxdepth 0 -execdir C ';'",
    'N=V C',
    'bash -K Q W W',
  ],
  ...[
    'bash -K Q',
    'sh -K Q',
    'bash -o keyword -c Q',
    'bash -o pipefail -c Q',
    'bash -O extglob -c Q',
  ],
  ...[
    'bash -c -K Q',
    'bash +k -c Q',
    'bash --norc -c Q',
    'bash -c Q x V V',
    'bash <<< V',
    'bash W',
  ],
  ...[
    'bash --rcfile ./evil.sh -c Q',
    'bash -s <<< Q',
    'sudo -n C',
    'busybox C',
    './evil/ls C',
    'bash',
  ],
];
const SHAPES = [
  ...[
    '{ C ; }',
    '{ C ; } <<< V',
    '( C )',
    '( C ) < W',
    'if C ; then C ; fi',
    '! C',
    'C | C',
    'C & C',
  ],
  ...['until true ; do C ; done', 'for N in V W ; do C ; done', 'case W in (W) C ;; *) C ;; esac'],
  ...[
    'x() { C ; } ; x W',
    'ls() { C ; } ; ls',
    'cat() { C ; } ; cat README.md <<< V',
    '{ C ; C ; } | C',
  ],
  ...[
    'select N in W ; do C ; done',
    'C | { C ; }',
    'C | ( C ) 2>&1',
    'function x { C ; } ; x',
    'C |& C',
  ],
];

function decided(command: string, allow: readonly string[]) {
  return decide(requestFor(command), {
    mode: 'ask',
    rules: [{ source: 'session', rules: { allow: [...allow] } }],
    workspace,
  });
}

function requestFor(command: string): ToolRequest {
  return { tool: 'shell', kind: 'execute', subject: { type: 'shell', command } };
}

/** The part of a decision that depends on the rules, with the rules read once. */
function allower(allow: readonly string[]): (script: string) => boolean {
  const rules = allow.map(parseRule);
  return (script) => {
    const parsed = parseScript(script);
    if (!parsed.ok) return false;
    const reading = commandsOf(parsed.script);
    const input = { request: requestFor(script), roots: { workspace }, reading };
    return allowingRule(rules, input) !== undefined;
  };
}

/** Runs each script in its own shell, and returns those that created a canary or printed the secret. */
function caught(scripts: readonly string[]): readonly string[] {
  for (const [index, script] of scripts.entries()) {
    writeFileSync(join(root, 'batch', String(index)), script);
  }
  const driver = `
    cd ${workspace}
    for ((n = 0; n < ${scripts.length}; n++)); do
      printed=
      (script=$(<${root}/batch/$n) && eval "$script") < /dev/null > ${root}/output 2>&1
      wait
      IFS= read -r -d '' printed < ${root}/output
      if [[ -e ${canary} || $printed == *${MARK}* ]]; then echo $n; rm -f ${canary}; fi
    done`;
  // In a file, because builtins that print all variables would otherwise print the mark.
  writeFileSync(join(root, 'driver'), driver);
  const { stdout, status } = spawnSync('/bin/bash', [join(root, 'driver')], {
    encoding: 'utf8',
    env: {
      HOME: join(root, 'home'),
      PATH: `${root}/bin:/usr/bin:/bin`,
      LC_ALL: 'C.UTF-8',
      x: `a[$(echo evil > ${canary})]`,
      y: '-v',
    },
  });
  expect(status).toBe(0);
  return stdout.split('\n').flatMap((line) => (line ? [scripts[Number(line)] ?? ''] : []));
}

it(
  `SE-34 of ${SCRIPTS} generated scripts, none that the rules allow reaches a canary`,
  () => {
    // The checks for a canary, a secret and an evaluated variable work.
    const reaching = ['./evil.sh', 'cat ../secret', 'let x', 'cat README.md | run-input'];
    expect(caught([...reaching, 'ls'])).toEqual(reaching);

    const suggested = APPROVED.flatMap((command) => decided(command, []).suggestedRule ?? []);
    expect(suggested.length).toBeGreaterThan(APPROVED.length - 3);
    const written = [...suggested, ...WRITTEN.map((pattern) => `Shell(${pattern})`)];
    const allowedBySuggested = allower(suggested);
    const allowedByWritten = allower(written);
    const generator = new Generator(numbers(SEED));
    const seen = new Set<string>();
    const ran = { suggested: 0, written: 0 };
    let batch: string[] = [];
    const flush = () => {
      expect(caught(batch)).toEqual([]);
      batch = [];
    };
    for (let count = 0; count < SCRIPTS; count += 1) {
      const script = generator.script();
      if (seen.has(script)) continue;
      const bySuggested = allowedBySuggested(script);
      // A broad rule such as `cat *` allows reading the secret.
      const byWritten = !script.includes('secret') && allowedByWritten(script);
      if (!bySuggested && !byWritten) continue;
      seen.add(script);
      expect(decided(script, bySuggested ? suggested : written).outcome).toBe('allow');
      if (bySuggested) ran.suggested += 1;
      else ran.written += 1;
      batch.push(script);
      if (batch.length >= BATCH) flush();
    }
    flush();
    expect(ran.suggested).toBeGreaterThan(SCRIPTS / 100);
    expect(ran.written).toBeGreaterThan(SCRIPTS / 100);
    const left = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter(isOurs);
    expect(left).toEqual(contents);
    expect(readFileSync(join(workspace, 'a'), 'utf8')).toBe('run=./evil.sh\n');
    expect(existsSync(canary)).toBe(false);
  },
  SCRIPTS * 60 + 60_000,
);
