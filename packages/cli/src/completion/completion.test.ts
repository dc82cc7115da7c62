import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../program/program.js';
import { commandTree } from './command-tree.js';
import { scriptFor } from './script.js';
import { SHELLS } from './shells.js';

const tree = commandTree(
  buildProgram({
    version: '0',
    io: { out: () => undefined, err: () => undefined, columns: undefined },
    run: () => Promise.resolve(),
  }),
);

const has = (command: string): boolean => spawnSync(command, ['-c', 'true']).status === 0;

/** What bash offers for a command line, with a `stoa` that knows two of everything. */
function bashOffers(words: readonly string[]): string[] {
  const script = scripts.bash;
  const driver = `
    source ${script}
    stoa() {
      case "$1" in
        channel) printf 'general\\nrandom\\n' ;;
        *) printf '%s-1\\n%s-2\\n' "$1" "$1" ;;
      esac
    }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _stoa
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', driver, 'bash', ...words], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-completion-'));
const scripts = { bash: '', zsh: '', fish: '' };
for (const shell of SHELLS) {
  scripts[shell] = path.join(directory, `stoa.${shell}`);
  fs.writeFileSync(scripts[shell], scriptFor(shell, tree));
}
afterAll(() => fs.rmSync(directory, { recursive: true }));

describe('shell completion', () => {
  it('knows every command of the program, aliases included', () => {
    const paths = tree.map(({ path }) => path);
    expect(paths).toContain('stoa channel unarchive');
    expect(paths).toContain('stoa read');
    for (const shell of SHELLS) {
      const script = scriptFor(shell, tree);
      for (const path of paths) expect(script).toContain(path);
    }
  });

  it('completes commands, options, choices and channels in bash', () => {
    expect(bashOffers(['stoa', 'se'])).toEqual(['send', 'search', 'session', 'serve']);
    expect(bashOffers(['stoa', 'channel', 'un'])).toEqual(['unarchive']);
    expect(bashOffers(['stoa', 'tail', '--f'])).toEqual(['--follow']);
    expect(bashOffers(['stoa', 'channel', 'list', '--archived', ''])).toEqual([
      'exclude',
      'include',
      'only',
    ]);
    expect(bashOffers(['stoa', 'completion', ''])).toEqual(['bash', 'zsh', 'fish']);
    expect(bashOffers(['stoa', 'send', 'g'])).toEqual(['general']);
    expect(bashOffers(['stoa', '--json', 'tail', ''])).toEqual(['general', 'random']);
    expect(bashOffers(['stoa', 'search', 'x', '--channel', 'r'])).toEqual(['random']);
    expect(bashOffers(['stoa', 'send', 'general', 'g'])).toEqual([]);
  });

  it('completes agents, sessions, approvals and schedules in bash', () => {
    expect(bashOffers(['stoa', 'agent', 'show', ''])).toEqual(['agent-1', 'agent-2']);
    expect(bashOffers(['stoa', 'run', 'x', '--agent', ''])).toEqual(['agent-1', 'agent-2']);
    expect(bashOffers(['stoa', 'session', 'follow', ''])).toEqual(['session-1', 'session-2']);
    expect(bashOffers(['stoa', 'approvals', 'allow', 'app'])).toEqual([
      'approvals-1',
      'approvals-2',
    ]);
    expect(bashOffers(['stoa', 'approvals', ''])).toContain('allow');
    expect(bashOffers(['stoa', 'schedule', 'pause', ''])).toEqual(['schedule-1', 'schedule-2']);
    expect(bashOffers(['stoa', 'run', '--mode', 'a'])).toEqual(['ask', 'auto-edit']);
  });

  it.for(SHELLS)('is a script that %s can read', (shell, { skip }) => {
    skip(!has(shell), `${shell} is not installed`);
    const { status, stderr } = spawnSync(shell, ['-n', scripts[shell]], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
