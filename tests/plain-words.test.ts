import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = path.dirname(import.meta.dirname);

describe('the check of words', () => {
  let tree: string;

  beforeEach(() => {
    tree = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-words-'));
  });

  afterEach(() => {
    fs.rmSync(tree, { recursive: true, force: true });
  });

  function write(file: string, text: string) {
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.writeFileSync(path.join(tree, file), text);
  }

  /** What the check reports about the tree, with the repository's list or another one. */
  function check(list?: object): { status: number | null; lines: string[] } {
    const listFile = path.join(tree, 'list.json');
    const own = fs.readFileSync(path.join(root, 'scripts/plain-words.json'), 'utf8');
    const withoutExceptions = JSON.stringify(JSON.parse(own), (key, value: unknown) =>
      key === 'notYet' ? {} : value,
    );
    fs.writeFileSync(listFile, list === undefined ? withoutExceptions : JSON.stringify(list));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(root, 'scripts/plain-words.mjs'), '--root', tree, '--list', listFile],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    return { status, lines: stdout.split('\n').filter((line) => line !== '') };
  }

  it.each([
    ['a camelCase identifier', 'a.ts', 'const one = 1;\nconst nextPlace = one;\n', 2, 'place'],
    ['a snake_case identifier', 'a.ts', "\nthrow new Error('has_turn');\n", 2, 'has turn'],
    ['a constant', 'a.ts', 'export const LISTED_MOST = 5;\n', 1, 'most'],
    ['a comment', 'a.ts', '// The reader is told.\n', 1, 'told'],
    [
      'a phrase across two lines of a comment',
      'a.ts',
      '// the one that is\n// meant\n',
      1,
      'is meant',
    ],
    ['a sentence of a document', 'docs/a.md', '# A\n\nWhoever calls it pays.\n', 3, 'whoever'],
    ['a phrase in a table', 'docs/a.md', '| a | what came of it |\n', 1, 'came of'],
    ['a text', 'a.tsx', "const text = 'built anew';\n", 1, 'anew'],
    ['a test title', 'a.test.ts', "it('stops of its own accord', run);\n", 1, 'of its own accord'],
    ['a file name', 'packages/a/channel-acts.ts', 'export {};\n', 1, 'acts'],
  ])('reports %s with its line and what to say instead', (_, file, text, line, phrase) => {
    write(file, text);
    const { status, lines } = check();
    expect(status).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${file}:${line} "${phrase}": say \\w+`));
  });

  it('accepts plain text, longer words and phrases that the list allows', () => {
    write('a.ts', "// Replaced in place.\nconst placeholder = 'takes place at noon';\n");
    write('docs/a.md', 'It is. Meant for readers. See `packages/x/channel-acts.ts`.\n');
    expect(check()).toEqual({ status: 0, lines: [] });
  });

  it('counts what a directory still has to rewrite, and demands that a clean one leaves the list', () => {
    const list = {
      words: { anew: { say: 'again' } },
      identifiers: {},
      notYet: { old: 'a reason' },
    };
    write('old/a.ts', '// built anew\n');
    expect(check(list)).toEqual({ status: 0, lines: ['old: 1 not yet rewritten (a reason)'] });
    write('older/a.ts', '// built anew\n');
    expect(check(list).lines).toContain('older/a.ts:1 "anew": say again');
    const later = { anew: { say: 'again', notYet: { older: 'later' } } };
    expect(check({ ...list, words: later })).toEqual({
      status: 0,
      lines: [
        'old: 1 not yet rewritten (a reason)',
        '"anew" in older: 1 not yet rewritten (later)',
      ],
    });
    write('old/a.ts', '// built again\n');
    expect(check(list).lines).toContain(
      'old is clean: remove it from "notYet" in plain-words.json',
    );
    expect(check(list).status).toBe(1);
  });
});
