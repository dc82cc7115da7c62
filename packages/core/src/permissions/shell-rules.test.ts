import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';

type Outcome = 'allow' | 'ask' | 'deny';

function outcome(
  command: string,
  rules: { deny?: string[]; ask?: string[]; allow?: string[] },
  mode: 'ask' | 'full' = 'ask',
  tool = 'shell',
): Outcome {
  return decide(
    { tool, kind: 'execute', subject: { type: 'shell', command } },
    { mode, rules: [{ source: 'session', rules }], workspace: '/work' },
  ).outcome;
}

/** One allow rule in mode ask: other commands ask. */
const ALLOW: readonly (readonly [pattern: string, command: string, Outcome])[] = [
  // The intended use of the pattern.
  ['git status*', 'git status', 'allow'],
  ['git status*', 'git status -s', 'allow'],
  ['git status*', 'git   status\t--short', 'allow'],
  ['git status*', "git 'status'", 'allow'],
  ['git status*', 'git "sta"tus', 'allow'],
  ['git status*', 'git status # a comment', 'allow'],
  ['git status*', 'git \\\n  status', 'allow'],
  ['git status *', 'git status', 'allow'],
  ['git status *', 'git statusx', 'ask'],
  ['git status', 'git status', 'allow'],
  ['git status', 'git status -s', 'ask'],
  ['npm run test:*', 'npm run test:unit', 'allow'],
  ['npm run test:*', 'npm run test:unit -- --watch', 'allow'],
  ['npm run test:*', 'npm run tests', 'ask'],
  ['git * main', 'git push main', 'allow'],
  ['git * main', 'git push -f main', 'ask'],
  ['git *', 'git', 'allow'],
  ['echo *', 'echo $HOME "$x" *.ts ~/x {a,b}', 'allow'],
  ['./ci/*.sh', './ci/lint.sh', 'allow'],
  ['./ci/*.sh', './ci/../../evil.sh', 'ask'],
  ["git commit -m 'two words'", "git commit -m 'two words'", 'allow'],
  ["git commit -m 'two words'", 'git commit -m two words', 'ask'],
  ["echo '*'", "echo '*'", 'allow'],
  ["echo '*'", 'echo a', 'ask'],
  // Every command of the script counts.
  ['git status*', 'git status && git status -s', 'allow'],
  ['git status*', 'if git status; then git status -s; fi', 'allow'],
  ['git status*', 'git status | git status', 'allow'],
  ['git status*', 'git status; rm -rf x', 'ask'],
  ['git status*', 'git status && x', 'ask'],
  ['git status*', 'git status || x', 'ask'],
  ['git status*', 'git status | sh', 'ask'],
  ['git status*', 'git status & x', 'ask'],
  ['git status*', 'git status\nx', 'ask'],
  ['git status*', 'git status |& x', 'ask'],
  ['git status*', '! x', 'ask'],
  ['git status*', '(x); git status', 'ask'],
  ['git status*', '{ git status; x; }', 'ask'],
  ['git status*', 'while x; do git status; done', 'ask'],
  ['git status*', 'case a in a) x;; esac; git status', 'ask'],
  ['git status*', 'git() { x; }; git status', 'ask'],
  ['git status*', 'git status # y\nx', 'ask'],
  ['git status*', 'git status \\\n; x', 'ask'],
  // All substitutions ask.
  ['git status*', 'git status $(rm x)', 'ask'],
  ['git status*', 'git status `rm x`', 'ask'],
  ['git status*', 'git status "$(rm x)"', 'ask'],
  ['git status*', 'git status <(rm x)', 'ask'],
  ['git status*', 'git status ${x:-$(rm x)}', 'ask'],
  ['git status*', 'git status $(git status)', 'ask'],
  ['git status*', 'git status <<E\n$(rm x)\nE', 'ask'],
  ['git status*', "git status <<'E'\n$(rm x)\nE", 'allow'],
  ['git status*', 'case $(git status) in a) git status;; esac', 'ask'],
  ['git status*', 'git status $(<file)', 'ask'],
  ['git status*', "git status '$(rm x)'", 'allow'],
  ['git status*', 'git status $((x))', 'ask'],
  ['git status*', 'git status $((1 + 2))', 'ask'],
  ['echo *', 'echo $((1 + 2))', 'allow'],
  ['echo *', 'echo ${!x}', 'ask'],
  ['echo *', 'echo ${x@P}', 'ask'],
  ['echo *', 'echo ${x:=y}', 'ask'],
  // The name has to be fixed text, and exactly the same.
  ['git status*', '$x status', 'ask'],
  ['git status*', 'g* status', 'ask'],
  ['git status*', '{git,status}', 'ask'],
  ['git status*', 'git $x', 'ask'],
  ['git status*', 'git s{tatus,how}', 'ask'],
  ['git status*', './git status', 'ask'],
  ['git status*', '/tmp/git status', 'ask'],
  ['git status*', 'GIT status', 'ask'],
  ['git status*', 'git -c core.fsmonitor=x status', 'ask'],
  ['git status*', 'git -C /x status', 'ask'],
  ['git status*', 'git --no-pager status', 'ask'],
  ['git status*', 'git stat', 'ask'],
  ['git status*', 'status git', 'ask'],
  // Options that change the effect.
  ['git *', 'git -c alias.x=!y x', 'ask'],
  ['git *', 'git --exec-path=/x status', 'ask'],
  ['git diff*', 'git diff --output=x', 'ask'],
  ['git diff*', 'git diff --outp=x', 'ask'],
  ['git diff*', 'git diff --stat', 'allow'],
  ['git ls-remote *', 'git ls-remote --upload-pa=x .', 'ask'],
  ['git ls-remote *', 'git ls-remote origin', 'allow'],
  ['git diff*', 'git diff $x', 'ask'],
  ['git diff*', 'git diff src/*.ts', 'allow'],
  ['git diff --output=*', 'git diff --output=x', 'allow'],
  ['sort *', 'sort -o x y', 'ask'],
  ['sort *', 'sort -uo x y', 'ask'],
  ['sort *', 'sort --compress-prog x y', 'ask'],
  ['sort *', 'sort -u y', 'allow'],
  ['sed *', 'sed -i s/a/b/ x', 'ask'],
  ['sed *', 'sed --in-p s/a/b/ x', 'ask'],
  ['rg *', 'rg --pre x y', 'ask'],
  ['find *', 'find . -delete', 'ask'],
  ['find *', 'find . -name x', 'allow'],
  ['tar *', 'tar --checkpoint-action=exec=x cf y z', 'ask'],
  // Variables and files.
  ['git status*', 'PATH=. git status', 'ask'],
  ['git status*', 'LD_PRELOAD=./x.so git status', 'ask'],
  ['git status*', 'GIT_SSH_COMMAND=x git status', 'ask'],
  ['git status*', 'export PATH=.; git status', 'ask'],
  ['git status*', 'PATH=.; git status', 'ask'],
  ['git status*', 'for PATH in .; do git status; done', 'ask'],
  ['git status*', 'git status > x', 'ask'],
  ['git status*', 'git status >> x', 'ask'],
  ['git status*', 'git status >| x', 'ask'],
  ['git status*', 'git status &> x', 'ask'],
  ['git status*', 'git status >& x', 'ask'],
  ['git status*', 'git status <> x', 'ask'],
  ['git status*', 'git status > $x', 'ask'],
  ['git status*', '{ git status; } > x', 'ask'],
  ['git status*', 'git status; > x', 'ask'],
  ['git status*', 'git status 2>/dev/null', 'allow'],
  ['git status*', 'git status > /dev/null 2>&1', 'allow'],
  ['git status*', 'git status &>/dev/null', 'allow'],
  ['git status*', 'git status 2>&-', 'allow'],
  ['git status*', 'git status < x', 'allow'],
  ['git status*', 'git status < /dev/tcp/example.com/80', 'ask'],
  ['cat *', 'cat <<< text', 'allow'],
  // Wrappers: the inner command counts.
  ['git status*', 'timeout 5 git status', 'allow'],
  ['git status*', 'env git status', 'allow'],
  ['git status*', 'nice -n 5 nohup git status', 'allow'],
  ['git status*', 'command git status', 'allow'],
  ['git status*', 'time git status', 'allow'],
  ['git status*', "bash -c 'git status'", 'allow'],
  ['git status*', "bash -c 'git status; x'", 'ask'],
  ['git status*', 'bash -c "git status $x"', 'ask'],
  ['git status*', 'env PATH=. git status', 'ask'],
  ['git status*', 'env -C /x git status', 'ask'],
  ['git status*', "env -S 'git status'", 'ask'],
  ['git status*', './env git status', 'ask'],
  ['git status*', 'sudo git status', 'ask'],
  ['git status*', "./bash -c ''", 'ask'],
  ['git status*', "./bash -c 'git status'", 'ask'],
  ['git status*', './timeout 5 git status', 'ask'],
  ['git status*', 'eval git status', 'allow'],
  ['git status*', 'eval git status $x', 'ask'],
  ['git status*', 'xargs git status', 'ask'],
  ['grep *', 'xargs -0 grep x', 'allow'],
  ['grep *', 'xargs -I grep grep x', 'ask'],
  ['env *', 'env rm x', 'ask'],
  ['timeout *', 'timeout 5 rm x', 'ask'],
  ['timeout 5 npm *', 'timeout 5 npm test', 'allow'],
  ['sudo *', 'sudo rm x', 'ask'],
  ['sudo apt *', 'sudo apt update', 'allow'],
  ['bash *', "bash -c 'rm x'", 'ask'],
  ['bash *', 'bash build.sh', 'allow'],
  ['find *', 'find . -exec rm {} \\;', 'ask'],
  ['find *', 'find . -exec sh -c x \\;', 'ask'],
  ['find *', 'find $x -name y', 'ask'],
  // Patterns for everything, and scripts that cannot be parsed.
  ['*', 'x > y; z', 'allow'],
  ['*', 'echo $(', 'ask'],
  ['git status*', 'git status "', 'ask'],
  ['git status*', 'git status @(a|b)', 'ask'],
  ['git status*', 'git status\u00a0;x', 'ask'],
  ['git status*', '', 'ask'],
];

/** One deny rule in mode full: commands that it cannot match are allowed. */
const DENY: readonly (readonly [pattern: string, command: string, Outcome])[] = [
  ['rm *', 'rm x', 'deny'],
  ['rm *', 'rm', 'deny'],
  ['rm *', '/bin/rm x', 'deny'],
  ['rm *', '../../bin/rm x', 'deny'],
  ['rm *', 'RM x', 'deny'],
  ['rm *', '\\rm x', 'deny'],
  ['rm *', 'r""m x', 'deny'],
  ['rm *', "r'm' x", 'deny'],
  ['rm *', "$'\\x72m' x", 'deny'],
  ['rm *', 'r\\\nm x', 'deny'],
  ['rm *', 'command rm x', 'deny'],
  ['rm *', 'builtin command rm x', 'deny'],
  ['rm *', 'env rm x', 'deny'],
  ['rm *', 'env - rm x', 'deny'],
  ['rm *', 'env -i A=b rm x', 'deny'],
  ['rm *', '/usr/bin/env rm x', 'deny'],
  ['rm *', 'exec rm x', 'deny'],
  ['rm *', 'nohup nice -n 5 timeout -s KILL 5 rm x', 'deny'],
  ['rm *', 'time rm x', 'deny'],
  ['rm *', 'time -p rm x', 'deny'],
  ['rm *', 'sudo -u root rm x', 'deny'],
  ['rm *', 'busybox rm x', 'deny'],
  ['rm *', "bash -c 'rm x'", 'deny'],
  ['rm *', "sh -ec 'cd y && rm x'", 'deny'],
  ['rm *', "bash -euo pipefail -c 'rm x'", 'deny'],
  ['rm *', 'sh -c "bash -c \'rm x\'"', 'deny'],
  ['rm *', "eval 'r''m' x", 'deny'],
  ['rm *', "trap 'rm x' EXIT", 'deny'],
  ['rm *', 'xargs rm', 'deny'],
  ['rm *', 'ls | xargs -n 1 rm -f', 'deny'],
  ['rm *', 'find . -exec rm {} +', 'deny'],
  ['rm *', "find . -execdir sh -c 'rm {}' \\;", 'ask'],
  ['rm *', "find . -execdir sh -c 'rm x' \\;", 'deny'],
  ['rm *', 'A=b rm x', 'deny'],
  ['rm *', '>y rm x', 'deny'],
  ['rm *', 'ls; rm x', 'deny'],
  ['rm *', 'ls && rm x', 'deny'],
  ['rm *', 'ls | rm x', 'deny'],
  ['rm *', 'ls & rm x', 'deny'],
  ['rm *', 'ls\nrm x', 'deny'],
  ['rm *', 'echo $(rm x)', 'deny'],
  ['rm *', 'echo `rm x`', 'deny'],
  ['rm *', 'echo "a $(echo `rm x`)"', 'deny'],
  ['rm *', 'cat <(rm x)', 'deny'],
  ['rm *', 'echo ${a:-$(rm x)}', 'deny'],
  ['rm *', 'echo $(( $(rm x) ))', 'deny'],
  ['rm *', 'a=$(rm x)', 'deny'],
  ['rm *', 'a=($(rm x))', 'deny'],
  ['rm *', 'echo > $(rm x)', 'deny'],
  ['rm *', 'cat <<E\n$(rm x)\nE', 'deny'],
  ['rm *', 'if rm x; then y; fi', 'deny'],
  ['rm *', 'for f in a; do rm $f; done', 'deny'],
  ['rm *', 'case $(rm x) in a) ;; esac', 'deny'],
  ['rm *', '[[ -n $(rm x) ]]', 'deny'],
  ['rm *', 'f() { rm x; }', 'deny'],
  ['rm *', '! rm x', 'deny'],
  // It could match.
  ['rm *', '$x y', 'ask'],
  ['rm *', '"$x" y', 'ask'],
  ['rm *', '/bin/r? x', 'ask'],
  ['rm *', '{rm,x}', 'ask'],
  ['rm *', '$(echo rm) x', 'ask'],
  ['rm *', 'bash -c "$x"', 'ask'],
  ['rm *', 'echo x | bash', 'ask'],
  ['rm *', 'bash <(echo x)', 'ask'],
  ['rm *', 'bash <<< x', 'ask'],
  ['rm *', '. /dev/stdin <<< x', 'ask'],
  ['rm *', 'eval "$x"', 'ask'],
  ['rm *', 'env -S "rm x"', 'ask'],
  ['rm *', "watch 'rm x'", 'ask'],
  ['rm *', "alias ls='rm x'", 'ask'],
  ['rm *', 'timeout $x rm y', 'ask'],
  ['rm *', 'find . $x', 'ask'],
  ['rm *', "x='a[$(rm y)]'; echo $((x))", 'ask'],
  ['rm *', "x='a[$(rm y)]'; [[ $x -eq 1 ]]", 'ask'],
  ['rm *', "printf -v 'a[$(rm y)]' z", 'ask'],
  ['rm *', "PS4='$(rm x)'; set -x; ls", 'ask'],
  ['rm *', '((rm x))', 'ask'],
  ['rm *', 'f() { "$@"; }; f rm x', 'ask'],
  ['rm *', 'echo $(', 'ask'],
  ['rm *', "echo $'a\\'; rm x; echo '", 'ask'],
  ['rm *', 'a[ # ]=1; rm x', 'ask'],
  ['git push*', 'git push', 'deny'],
  ['git push*', 'git push --force', 'deny'],
  ['git push*', 'git -C x push', 'ask'],
  ['git push*', 'git --no-pager push', 'ask'],
  ['git push*', 'git $x', 'ask'],
  ['rm -rf *', 'rm -rf x', 'deny'],
  ['rm -rf *', 'rm -fr x', 'ask'],
  ['rm -rf *', 'rm x -r -f', 'ask'],
  ['git push --force*', 'git push --forc', 'ask'],
  ['/opt/tool *', '/opt/tool x', 'deny'],
  ['/opt/tool *', 'tool x', 'ask'],
  ['env *', 'env rm x', 'deny'],
  // It cannot match.
  ['rm *', 'echo rm x', 'allow'],
  ['rm *', "echo 'a; rm x'", 'allow'],
  ['rm *', 'echo a # rm x', 'allow'],
  ['rm *', "cat <<'E'\nrm x\n$(rm x)\nE", 'allow'],
  ['rm *', 'rmdir x', 'allow'],
  ['rm *', 'ls $x', 'allow'],
  ['rm *', 'bash build.sh', 'allow'],
  ['rm *', 'command -v rm', 'allow'],
  ['rm -rf *', 'rm x', 'allow'],
  ['git push*', 'git commit -m push', 'allow'],
  ['git push*', 'git log "$x"', 'allow'],
];

describe('rules for commands', () => {
  it.each(ALLOW)('R-18 allow %j, command %j: %s', (pattern, command, expected) => {
    expect(outcome(command, { allow: [`Shell(${pattern})`] })).toBe(expected);
  });

  it.each(DENY)('R-18 deny %j, command %j: %s', (pattern, command, expected) => {
    expect(outcome(command, { deny: [`Shell(${pattern})`] }, 'full')).toBe(expected);
  });

  it('several rules allow a script together', () => {
    const allow = ['Shell(git status*)', 'Shell(npm test)'];
    expect(outcome('git status && npm test', { allow })).toBe('allow');
    expect(outcome('git status && npm test && npm publish', { allow })).toBe('ask');
  });

  it('R-18 deny beats ask, and ask beats allow, in any order', () => {
    const rule = ['Shell(git push*)'];
    expect(outcome('git push', { allow: rule, ask: rule, deny: rule }, 'full')).toBe('deny');
    expect(outcome('git push', { allow: rule, ask: rule }, 'full')).toBe('ask');
    expect(outcome('git push', { allow: rule })).toBe('allow');
    expect(outcome('git push', { allow: ['Shell'], ask: ['Shell(git push*)'] })).toBe('ask');
    expect(outcome('git $x', { allow: ['Shell(git *)'], deny: ['Shell(git push*)'] })).toBe('ask');
  });

  it('T-26 Monitor rules apply to monitors, Shell rules to both', () => {
    const monitor = { allow: ['Monitor(tail -f *)'] };
    expect(outcome('tail -f log', monitor, 'ask', 'monitor')).toBe('allow');
    expect(outcome('tail -f log', monitor)).toBe('ask');
    expect(outcome('tail -f log; rm x', monitor, 'ask', 'monitor')).toBe('ask');
    const shell = { allow: ['Shell(tail -f *)'] };
    expect(outcome('tail -f log', shell, 'ask', 'monitor')).toBe('allow');
    expect(outcome('tail -f log', shell)).toBe('allow');
    const deny = { deny: ['Shell(rm *)'] };
    expect(outcome('rm x', deny, 'full', 'monitor')).toBe('deny');
    expect(outcome('rm x', { deny: ['Monitor(rm *)'] }, 'full')).toBe('allow');
    expect(outcome('rm x', { deny: ['Monitor(rm *)'] }, 'full', 'monitor')).toBe('deny');
    const ask = { allow: ['Monitor(tail -f *)'], ask: ['Shell(tail *)'] };
    expect(outcome('tail -f log', ask, 'ask', 'monitor')).toBe('ask');
  });

  it.each(['tail -f $(cat x)', 'tail -f `cat x`', 'tail -f <(cat x)', 'tail -f "$(cat x)" y'])(
    'T-26 no pattern lets a monitor substitute a command: %s',
    (command) => {
      const allow = ['Monitor(tail -f *)', 'Shell(tail -f *)', 'Monitor(cat *)', 'Shell(cat *)'];
      expect(outcome(command, { allow }, 'ask', 'monitor')).toBe('ask');
      expect(outcome('tail -f x', { allow }, 'ask', 'monitor')).toBe('allow');
    },
  );
});
