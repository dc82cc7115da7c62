import { describe, expect, it } from 'vitest';
import { inView } from './in-view.js';

describe('what is in view', () => {
  const view = { top: 100, bottom: 300 };
  const seen = (...extents: readonly (readonly [number, number])[]) =>
    inView(extents, ([top, bottom]) => ({ top, bottom }), view);

  it('is what is seen as a whole, and nothing that only lies near', () => {
    expect(seen([0, 50], [60, 120], [120, 200], [200, 300], [300, 400])).toEqual([
      [120, 200],
      [200, 300],
    ]);
  });

  it('is a part of what is higher than the screen', () => {
    expect(seen([0, 100], [100, 900], [900, 950])).toEqual([[100, 900]]);
    expect(seen([0, 150], [150, 900])).toEqual([
      [0, 150],
      [150, 900],
    ]);
    expect(seen()).toEqual([]);
  });
});
