import { describe, expect, it } from 'vitest';
import { completed, mentionAt, suggested } from './mention.js';

const host = { memberId: 'host', displayName: 'Host' };
const cook = { memberId: 'cook-2', displayName: 'The cook' };
const anna = { memberId: 'mem_1', displayName: 'Anna' };
const otherAnna = { memberId: 'mem_2', displayName: 'Anna' };
const members = [host, cook, anna, otherAnna];

describe('a mention', () => {
  it('begins with an @ at the start of a word, and ends at the caret', () => {
    expect(mentionAt('hello @ho', 9)).toEqual({ from: 6, query: 'ho' });
    expect(mentionAt('@', 1)).toEqual({ from: 0, query: '' });
    expect(mentionAt('hello @host and', 15)).toBeUndefined();
    expect(mentionAt('me@example', 10)).toBeUndefined();
  });

  it('suggests whose name begins so first, then whose later words or id do', () => {
    expect(suggested(members, 'co')).toEqual([cook]);
    expect(suggested([cook, host, { memberId: 'x', displayName: 'Cooper' }], 'coo')).toEqual([
      { memberId: 'x', displayName: 'Cooper' },
      cook,
    ]);
    expect(suggested(members, 'mem_2')).toEqual([otherAnna]);
    expect(suggested(members, 'nobody')).toEqual([]);
  });

  it('is completed with the name, or with the id where two have one name', () => {
    const mention = { from: 3, query: 'th' };
    expect(completed('so @th?', 6, mention, cook, members)).toEqual({
      text: 'so @The cook ?',
      caret: 13,
    });
    expect(completed('so @an', 6, { from: 3, query: 'an' }, anna, members).text).toBe('so @mem_1 ');
  });
});
