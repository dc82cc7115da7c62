import { describe, expect, it } from 'vitest';
import { placeOf } from './place-of.js';
import type { Row } from './rows.js';

const rows = [
  { kind: 'beginning', key: 'beginning' },
  { kind: 'message', key: 'msg_1' },
  { kind: 'day', key: 'day 2', at: 0 },
  { kind: 'message', key: 'msg_2' },
] as Row[];
const starts = [0, 100, 200, 230];

describe('the place where somebody reads', () => {
  it('is the message at the upper edge, and how much of it is above', () => {
    expect(placeOf(rows, { isAtEnd: false, offset: 130, starts })).toEqual({
      messageId: 'msg_1',
      into: 30,
    });
  });

  it('goes by the next message where something else is at the edge', () => {
    expect(placeOf(rows, { isAtEnd: false, offset: 210, starts })).toEqual({
      messageId: 'msg_2',
      into: -20,
    });
    expect(placeOf(rows, { isAtEnd: false, offset: 0, starts })).toEqual({
      messageId: 'msg_1',
      into: -100,
    });
  });

  it('is the end, whatever is said there, for who is there', () => {
    expect(placeOf(rows, { isAtEnd: true, offset: 210, starts })).toBe('end');
    expect(placeOf([], { isAtEnd: false, offset: 0, starts: [] })).toBeUndefined();
  });
});
