import { describe, expect, it } from 'vitest';
import { wrapped } from './stage-view.js';

describe('text in the column of the demonstration', () => {
  it('breaks at spaces, keeps its own lines, and leaves a long word whole', () => {
    expect(wrapped('one two three\n\nfour', 7)).toEqual(['one two', 'three', '', 'four']);
    expect(wrapped('a extraordinary b', 6)).toEqual(['a', 'extraordinary', 'b']);
    expect(wrapped('漢字 漢字', 8)).toEqual(['漢字', '漢字']);
  });
});
