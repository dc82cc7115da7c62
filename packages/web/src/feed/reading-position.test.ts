import { describe, expect, it } from 'vitest';
import { positionOf } from './reading-position.js';
import type { Row } from './rows.js';

const rows = [
  { kind: 'beginning', key: 'beginning' },
  { kind: 'message', key: 'msg_1' },
  { kind: 'day', key: 'day 2', at: 0 },
  { kind: 'message', key: 'msg_2' },
] as Row[];
const starts = [0, 100, 200, 230];

describe('the reading position', () => {
  it('is the message at the upper edge, and how much of it is above', () => {
    expect(positionOf(rows, { isAtEnd: false, offset: 130, starts })).toEqual({
      messageId: 'msg_1',
      into: 30,
    });
  });

  it('goes by the next message where something else is at the edge', () => {
    expect(positionOf(rows, { isAtEnd: false, offset: 210, starts })).toEqual({
      messageId: 'msg_2',
      into: -20,
    });
    expect(positionOf(rows, { isAtEnd: false, offset: 0, starts })).toEqual({
      messageId: 'msg_1',
      into: -100,
    });
  });

  it('is the end for a reader at the end, regardless of new messages', () => {
    expect(positionOf(rows, { isAtEnd: true, offset: 210, starts })).toBe('end');
    expect(positionOf([], { isAtEnd: false, offset: 0, starts: [] })).toBeUndefined();
  });
});
