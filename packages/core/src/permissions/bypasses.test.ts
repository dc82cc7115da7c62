import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';

function outcome(command: string, allow: readonly string[]): string {
  return decide(
    { tool: 'shell', kind: 'execute', subject: { type: 'shell', command } },
    {
      mode: 'ask',
      rules: [{ source: 'session', rules: { allow: [...allow] } }],
      workspace: '/work',
      userHome: '/home/ada',
    },
  ).outcome;
}

function suggestion(command: string): string | undefined {
  return decide(
    { tool: 'shell', kind: 'execute', subject: { type: 'shell', command } },
    { mode: 'ask', rules: [], workspace: '/work' },
  ).suggestedRule;
}

const GIT_VARIABLES = `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='id > canary;false'`;

/** Case, allow rules without `Shell(…)`, command. All of them have to ask. */
const ASKED: readonly (readonly [id: string, patterns: readonly string[], command: string])[] = [
  ['SE-27', ['printf *'], `printf -v x 'a[\\x24(id > canary)]'; printf -v "$x" y`],
  ['SE-27', ['printf *'], `printf -v "$x" y`],
  ['SE-27', ['printf *'], `printf -v'a[$(id > canary)]' y`],
  ['SE-27', ['printf *'], 'printf "$x" y'],
  ['SE-27', ['printf *'], 'printf $x y'],
  ['SE-27', ['printf *'], `builtin printf -v 'a[$(id > canary)]' y`],
  ['SE-28', ['git status*'], `bash -kc "git status ${GIT_VARIABLES}"`],
  ['SE-28', ['git status*'], `bash -ac 'git status'`],
  ['SE-28', ['git status*'], `bash -xakec 'git status'`],
  ['SE-28', ['git status*'], `bash -eck 'git status'`],
  ['SE-28', ['git status*'], `bash -k -c 'git status'`],
  ['SE-28', ['git status*'], `bash -o keyword -c 'git status'`],
  ['SE-28', ['git status*'], `bash -eo allexport -c 'git status'`],
  ['SE-28', ['git status*'], `sh -kc 'git status'`],
  ['SE-28', ['git status*', 'set *'], `set -k; git status ${GIT_VARIABLES}`],
  ['SE-28', ['git status*', 'set *'], `set -o keyword; git status ${GIT_VARIABLES}`],
  ['SE-28', ['git status*', 'shopt *'], `shopt -so keyword; git status ${GIT_VARIABLES}`],
  ['SE-29', ['printf *', 'ls *'], 'printf -v PATH ./evil; ls'],
  ['SE-29', ['printf *', 'ls *'], 'printf -vPATH ./evil; ls'],
  ['SE-29', ['read *', 'ls *'], 'read PATH <<< ./evil; ls'],
  ['SE-29', ['read *', 'ls *'], 'read -r -a PATH <<< ./evil; ls'],
  ['SE-29', ['read *', 'ls *'], 'read <<< x; ls'],
  ['SE-29', ['getopts *', 'ls *'], 'getopts a PATH -a; ls'],
  ['SE-29', ['getopts *'], `getopts a 'x[$(id > canary)]' -a`],
  ['SE-29', ['mapfile *', 'ls *'], 'mapfile PATH <<< ./evil; ls'],
  ['SE-29', ['readarray *', 'ls *'], 'readarray -t PATH <<< ./evil; ls'],
  ['SE-29', ['readarray *'], `readarray -c 1 -C 'id > canary' x <<< y`],
  ['SE-29', ['wait *'], 'wait -n -p PATH'],
  ['SE-29', ['wait *'], `wait -p 'a[$(id > canary)]' -n`],
  ['SE-29', ['wait *'], 'wait $x'],
  ['SE-29', ['test *'], 'test -v "$x"'],
  ['SE-29', ['test *'], `test -v 'a[$(id > canary)]'`],
  ['SE-29', ['test *'], 'test $x'],
  ['SE-29', ['test *'], 'test "$x" "$y"'],
  ['SE-29', ['test *'], 'test -R "$x"'],
  ['SE-29', ['[ *'], '[ -v "$x" ]'],
  ['SE-29', ['[ *'], '[ ! -v $x ]'],
  ['SE-29', ['[ *'], `[ a = b -o -v 'a[$(id > canary)]' ]`],
  ['SE-29', ['[ *'], `bash -c '[ "$0" "$1" ]' -v 'a[$(id > canary)]'`],
  ['SE-29', ['[[ *'], '[[ -v $x ]]'],
  ['SE-29', ['[[ *'], `[[ -R 'a[$(id > canary)]' ]]`],
  ['SE-29', ['hash *', 'ls *'], 'hash -p ./evil/ls ls; ls'],
  ['SE-29', ['hash *', 'ls *'], 'hash -lp ./evil/ls ls; ls'],
  ['SE-29', ['hash *', 'ls *'], 'hash $x ls; ls'],
  ['SE-29', ['unset *', 'ls *'], 'unset PATH; ls'],
  ['SE-29', ['unset *'], `unset 'a[$(id > canary)]'`],
  ['SE-29', ['export *', 'ls *'], 'export PATH=./evil; ls'],
  ['SE-29', ['export *', 'ls *'], 'export "PATH=$x"; ls'],
  ['SE-29', ['export *', 'ls *'], 'export $x; ls'],
  ['SE-29', ['declare *'], `declare -a 'x=($(id > canary))'`],
  ['SE-29', ['declare *', 'ls *'], 'declare -n x=PATH; ls'],
  ['SE-29', ['typeset *', 'ls *'], 'typeset -x PATH; ls'],
  ['SE-29', ['readonly *', 'ls *'], 'readonly PATH=./evil; ls'],
  ['SE-29', ['let *'], `let 'a[$(id > canary)]'`],
  ['SE-29', ['set *', 'test *'], `set -- -v 'a[$(id > canary)]'; test "$1" "$2"`],
  ['SE-30', ['uniq *'], 'uniq payload ANYFILE'],
  ['SE-30', ['uniq *'], 'uniq -c -- payload ANYFILE'],
  ['SE-30', ['uniq *'], 'uniq - ANYFILE'],
  ['SE-30', ['uniq *'], 'uniq *'],
  ['SE-30', ['uniq *'], 'uniq $x'],
  ['SE-30', ['/usr/bin/uniq *'], '/usr/bin/uniq payload ANYFILE'],
  ['SE-30', ['tree *'], 'tree -R -H . -L 1'],
  ['SE-30', ['tree *'], 'tree -afo ANYFILE'],
  ['SE-30', ['file *'], 'file -C -m x'],
  ['SE-30', ['file *'], 'file --compile --magic-file x'],
  ['SE-30', ['sed *'], `sed '1e id > canary' x`],
  ['SE-30', ['sed *'], `sed 's/a/id > canary/e' x`],
  ['SE-30', ['sed *'], `sed -n '1w ANYFILE' x`],
  ['SE-30', ['sed *'], `sed p x -e '1e id > canary'`],
  ['SE-30', ['less *'], `less '+!id > canary' x`],
  ['SE-30', ['tar *'], 'tar cIf ./evil x.tar a'],
  ['SE-30', ['git *'], 'git config core.fsmonitor ./evil'],
  ['SE-30', ['git diff *'], 'git diff --no-index /dev/null /home/ada/.ssh/id_rsa'],
  [
    'SE-31',
    ['npm test *'],
    `npm test --globalconfig=/dev/stdin <<< 'node-options=--import=data:x'`,
  ],
  ['SE-31', ['npm test *'], 'npm test --globalc /dev/stdin'],
  ['SE-31', ['npm test *'], 'npm test --script-shell ./evil'],
  ['SE-31', ['npm test *'], 'npm test --shell=./evil'],
  ['SE-31', ['npm test *'], 'npm test -C ../evil'],
  ['SE-31', ['npm test *'], 'npm test $x'],
  ['SE-31', ['npm *'], 'npm --prefix ../evil test'],
  ['SE-32', ['go build *'], 'go build -o ANYFILE'],
  ['SE-32', ['go build *'], 'go build -ldflags=-extld=./evil'],
  ['SE-32', ['go build *'], 'go build --ldflags -extld=./evil'],
  ['SE-32', ['go build *'], 'go build -overlay x.json'],
  ['SE-32', ['go build *'], 'go build -toolexec=./evil'],
  ['SE-32', ['go test *'], 'go test -coverprofile=ANYFILE'],
  ['SE-32', ['go *'], 'go -C ../evil build'],
  ['SE-32', ['cargo build *'], `cargo build --config build.rustc-wrapper='"./evil"'`],
  ['SE-32', ['cargo clippy *'], 'cargo clippy -- -C linker=./evil'],
  ['SE-32', ['cargo build *'], 'cargo build --target-dir ../x'],
  ['SE-34', ['[[ *'], 'time -p [[ x -eq 1 ]]'],
  ['SE-34', ['[[ *'], 'time -p time -- [[ x -eq 1 ]]'],
  // Rules that allow exactly one command.
  ['SE-34', ['make'], `xargs -I x -n 2 make <<< SHELL=./evil`],
  ['SE-34', ['make'], `xargs -I x -L 1 make <<< SHELL=./evil`],
  ['SE-34', ['node'], `node <<< 'evil()'`],
  ['SE-34', ['node'], `node <<E\nevil()\nE`],
  ['SE-34', ['node'], 'node < evil.js'],
  ['SE-34', ['node', 'cat README.md'], 'cat README.md | node'],
  ['SE-34', ['node', 'cat README.md'], 'cat README.md | { true; node; }'],
  ['SE-34', ['node'], `bash -c node <<< 'evil()'`],
  ['SE-34', ['node'], `{ node; } 3<<< 'evil()' <&3`],
  ['SE-34', ['node', 'exec *'], `exec <<< 'evil()'; node`],
  ['SE-34', ['node', 'cat README.md'], `cat() { node; }; cat README.md <<< 'evil()'`],
  ['SE-34', ['ls'], 'ls() { ls | ls; }; ls'],
  ['SE-34', ['tee notes.txt', 'cat README.md'], 'cat README.md | tee notes.txt'],
  ['SE-34', ['sort -o notes.txt', 'cat README.md'], 'cat README.md | sort -o notes.txt'],
  ['SE-34', ['cat'], 'cat < /home/ada/.ssh/id_rsa'],
  ['SE-34', ['jobs *'], 'jobs -x id'],
  ['SE-34', ['bash *'], `bash /./dev/stdin <<< 'id > canary'`],
  ['SE-34', ['. *'], `. ../../dev/stdin <<< 'id > canary'`],
];

/** Commands that such rules are intended to allow. */
const ALLOWED: readonly (readonly [patterns: readonly string[], command: string])[] = [
  [['printf *'], `printf '%s\\n' "$x"`],
  [['printf *'], 'printf -- -v'],
  [['git status*'], `bash -exc 'git status'`],
  [['git status*'], `bash -euo pipefail -c 'git status'`],
  [['set *', 'ls'], 'set -euo pipefail; ls'],
  [['shopt *', 'ls'], 'shopt -s nullglob globstar; ls'],
  [['test *'], 'test -f "$x"'],
  [['test *'], 'test -v x'],
  [['[ *'], '[ "$x" = y ] && [ -n "$z" ] && [ $? -eq 0 ]'],
  [['[[ *'], '[[ -v x && $y == z* ]]'],
  [['wait *', 'sleep 1'], 'sleep 1 & wait $!'],
  [['declare *'], 'declare -p'],
  [['hash *'], 'hash -r'],
  [['uniq *'], 'uniq -c a'],
  [['uniq payload out'], 'uniq payload out'],
  [['uniq payload *'], 'uniq payload'],
  [['tree *'], 'tree -a -L 2 --dirsfirst -I node_modules src'],
  [['file *'], 'file -b --mime-type x y'],
  [['sed *'], `sed -n '1,20p' x`],
  [['sed *'], `sed -E 's/(a|b)\\/c/[&]/g' x`],
  [['sed *'], 'sed -n 5p x'],
  [['npm test *'], 'npm test'],
  [['npm test *'], 'npm test -w packages/core --silent -- --watch --config x'],
  [['npm test --prefix *'], 'npm test --prefix packages/core'],
  [['go build *'], 'go build -v -race -tags=x ./...'],
  [['go build -o bin/x *'], 'go build -o bin/x ./cmd/x'],
  [['cargo test *'], 'cargo test -p core --release -- --nocapture'],
  [['cargo clippy *'], 'cargo clippy --all-targets -- -D warnings'],
  [['cat README.md', 'head -n 5'], 'cat README.md | head -n 5'],
  [['cat'], 'cat <<E\nhi\nE'],
  [['node *'], `node < x.js`],
  [['make'], 'make < /dev/null'],
];

describe('ways around an allow rule', () => {
  it.each(ASKED)('%s allow %j, command %j asks', (_, patterns, command) => {
    const allow = patterns.map((pattern) => `Shell(${pattern})`);
    expect(outcome(command, allow)).toBe('ask');
  });

  it.each(ALLOWED)('SE-29 allow %j, command %j runs', (patterns, command) => {
    const allow = patterns.map((pattern) => `Shell(${pattern})`);
    expect(outcome(command, allow)).toBe('allow');
  });

  it('SE-29 a builtin that sets a variable could run any denied command', () => {
    const decision = (command: string) =>
      decide(
        { tool: 'shell', kind: 'execute', subject: { type: 'shell', command } },
        {
          mode: 'full',
          rules: [{ source: 'session', rules: { deny: ['Shell(rm *)'] } }],
          workspace: '/work',
        },
      ).outcome;
    expect(decision(`read "$x"`)).toBe('ask');
    expect(decision('hash -p /bin/rm ls; ls x')).toBe('ask');
    expect(decision(`test -v "$x"`)).toBe('ask');
    expect(decision('export "$x"')).toBe('ask');
    expect(decision('jobs -x rm x')).toBe('ask');
    expect(
      decision('read -r -p "Name: " x; export PATH="$PATH:/x" A=1; unset A; printf -v b y'),
    ).toBe('allow');
    expect(decision('set -a; [ "$x" = y ]; mapfile -t lines < x; wait -n -p id')).toBe('allow');
  });

  it.each([
    ['printf hi', 'Shell(printf hi)'],
    ['cat README.md', 'Shell(cat README.md)'],
    ['uniq a', 'Shell(uniq a)'],
    ['tree', 'Shell(tree)'],
    ['file x', 'Shell(file x)'],
    ['npm test', 'Shell(npm test)'],
    ['go build', 'Shell(go build)'],
  ])('SE-33 "always" for %j is exactly that command', (command, rule) => {
    expect(suggestion(command)).toBe(rule);
    expect(outcome(command, [rule])).toBe('allow');
    for (const other of [
      'cat ~/.ssh/id_rsa',
      'cat /home/ada/.ssh/id_rsa',
      'cat < /home/ada/.ssh/id_rsa',
      `${command} /home/ada/.ssh/id_rsa`,
      `${command} < /home/ada/.ssh/id_rsa`,
      `${command} $x`,
    ]) {
      expect({ other, outcome: outcome(other, [rule]) }).toEqual({ other, outcome: 'ask' });
    }
  });
});
