import { expect, it } from 'vitest';
import { diffLines, isDiff } from './diff-lines.js';

const DIFF = [
  '--- a/notes.sql',
  '+++ b/notes.sql',
  '@@ -1,2 +1,2 @@',
  ' one',
  '--- two',
  '+2',
].join('\n');

it('each line of a diff is known for what it is, also one that looks like the name of a file', () => {
  expect(isDiff(DIFF)).toBe(true);
  expect(diffLines(DIFF).map(({ kind }) => kind)).toEqual([
    'file',
    'file',
    'hunk',
    'same',
    'removed',
    'added',
  ]);
});

it('other details are no diff', () => {
  expect(isDiff('--- just a line')).toBe(false);
});
