import { MessageId } from '@stoa/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIds } from './ids.js';

describe('ids', () => {
  it('sort in the order of their creation and never repeat, even if the clock stops or goes back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 200 }),
        (times) => {
          let step = 0;
          const ids = createIds(() => 1_700_000_000_000 + (times[step++] ?? 0));
          const made = times.map(() => ids.next('msg'));
          expect([...made].sort()).toEqual(made);
          expect(new Set(made).size).toBe(made.length);
        },
      ),
    );
  });

  it('fit the pattern of the protocol', () => {
    const ids = createIds();
    for (let i = 0; i < 1000; i++) expect(MessageId.safeParse(ids.next('msg')).success).toBe(true);
  });

  it('increment the random part instead of repeating', () => {
    const ids = createIds(
      () => 1,
      (bytes) => bytes.fill(31),
    );
    const first = ids.next('x');
    const second = ids.next('x');
    expect(first).not.toBe(second);
  });
});
