import { StoaProblem } from '@stoa/client';
import { describe, expect, it } from 'vitest';
import { isCollected, keptFrom, keptText, tooMany } from './kept-attachments.js';

const file = (assetId: string) => ({ assetId, name: `${assetId}.png`, bytes: 70 });

describe('files that wait with a draft', () => {
  it('are kept with what is needed to show and send them, and nothing else', () => {
    const text = keptText([{ ...file('a'), key: 1, preview: 'blob:x' } as never, file('b')], 5);
    expect(text).not.toContain('blob:');
    expect(keptFrom(text, 19)).toEqual([file('a'), file('b')]);
    expect(keptText([], 5)).toBeUndefined();
  });

  it('are no more than go with a message, with names that are no longer than the daemon takes', () => {
    const name = `${'n'.repeat(300)}.png`;
    const kept = keptFrom(keptText([{ ...file('a'), name }, file('b'), file('c')], 5), 2);
    expect(kept.map(({ assetId }) => assetId)).toEqual(['a', 'b']);
    expect(kept[0]?.name).toBe(name.slice(-200));
  });

  it.each([undefined, '', 'null', '7', '{"files":7}', '{"files":[null,7,{"assetId":"a"}]}', '['])(
    'are none where %s is kept',
    (text) => {
      expect(keptFrom(text, 19)).toEqual([]);
    },
  );

  it('are forgotten for the drafts that were changed the longest ago, when there are too many', () => {
    const texts = new Map(
      Array.from({ length: 52 }, (_, at) => [`draft ${at}`, keptText([file('a')], at) ?? '']),
    );
    texts.set('broken', '[');
    expect([...tooMany(texts)].sort()).toEqual(['broken', 'draft 0', 'draft 1']);
    texts.delete('broken');
    texts.delete('draft 0');
    texts.delete('draft 1');
    expect(tooMany(texts)).toEqual([]);
  });

  it('are gone when the daemon says so, and not because it does not answer', () => {
    expect(isCollected(new StoaProblem('asset_not_found', 404, 'gone'))).toBe(true);
    expect(isCollected(new StoaProblem('daemon_unreachable', 503, 'away'))).toBe(false);
    expect(isCollected(new StoaProblem('route_not_found', 404, 'x'))).toBe(false);
    expect(isCollected(new Error('x'))).toBe(false);
  });
});
