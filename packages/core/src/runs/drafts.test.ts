import { describe, expect, it } from 'vitest';
import type { TextChunk } from '../kernel/reader.js';
import { Drafts } from './drafts.js';

describe('the draft of a run', () => {
  const open = () => {
    const due: (() => void)[] = [];
    const sent: [number, number, string][] = [];
    const drafts = new Drafts(
      {
        after: (_, callback) => (
          due.push(callback), () => void due.splice(due.indexOf(callback), 1)
        ),
      },
      (_, { step, offset, text }: TextChunk) => {
        sent.push([step, offset, text]);
      },
    );
    const flush = (): void => {
      for (const callback of due.splice(0)) callback();
    };
    return { drafts, sent, flush };
  };

  it('R-7 is sent in coalesced chunks, and whole to late subscribers', () => {
    const { drafts, sent, flush } = open();
    for (const text of ['He', 'll', 'o']) drafts.show('s', 'r', 0, text);
    flush();
    drafts.show('s', 'r', 0, ', you');
    flush();
    expect(sent).toEqual([
      [0, 0, 'Hello'],
      [0, 5, ', you'],
    ]);
    expect(drafts.soFar('session:s')).toMatchObject([{ offset: 0, text: 'Hello, you' }]);
  });

  it('starts again when it is withdrawn, and clears what readers have of it', () => {
    const { drafts, sent, flush } = open();
    drafts.show('s', 'r', 1, 'wrong');
    flush();
    drafts.show('s', 'r', 1, ' and never sent');
    drafts.withdraw('s', 'r', 1);
    expect(drafts.soFar('session:s')).toEqual([]);
    drafts.show('s', 'r', 1, 'right');
    flush();
    expect(sent).toEqual([
      [1, 0, 'wrong'],
      [1, 0, ''],
      [1, 0, 'right'],
    ]);
  });

  it('has nothing to withdraw of another run or step, or when nothing was sent', () => {
    const { drafts, sent, flush } = open();
    drafts.show('s', 'r', 1, 'unsent');
    drafts.withdraw('s', 'r', 1);
    drafts.show('s', 'r', 2, 'kept');
    drafts.withdraw('s', 'r', 1);
    drafts.withdraw('s', 'other', 2);
    flush();
    expect(sent).toEqual([[2, 0, 'kept']]);
  });
});
