import { describe, expect, it } from 'vitest';
import { ItemQueue } from './item-queue.js';

function queue(): { queue: ItemQueue<number>; calls: string[] } {
  const calls: string[] = [];
  const handlers = {
    hold: () => void calls.push('hold'),
    release: () => void calls.push('release'),
    left: () => void calls.push('left'),
  };
  return { queue: new ItemQueue<number>(handlers), calls };
}

describe('ItemQueue', () => {
  it('returns items in order, to waiting readers and to later ones', async () => {
    const { queue: items } = queue();
    const waiting = items.next();
    items.push(1);
    items.push(2);
    expect(await waiting).toEqual({ value: 1, done: false });
    expect(await items.next()).toEqual({ value: 2, done: false });
  });

  it('pauses its producer when the reader is behind, and resumes it when it has caught up', async () => {
    const { queue: items, calls } = queue();
    for (let item = 0; item < 2_100; item += 1) items.push(item);
    expect(calls).toEqual(['hold']);
    for (let item = 0; item < 1_599; item += 1) {
      expect(await items.next()).toEqual({ value: item, done: false });
    }
    expect(calls).toEqual(['hold']);
    await items.next();
    expect(calls).toEqual(['hold', 'release']);
  });

  it('returns the items before a failure, then the failure once, then nothing', async () => {
    const { queue: items } = queue();
    items.push(1);
    items.fail(new Error('revoked'));
    items.push(2);
    expect(await items.next()).toEqual({ value: 1, done: false });
    await expect(items.next()).rejects.toThrow('revoked');
    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  it('fails a waiting reader', async () => {
    const { queue: items } = queue();
    const waiting = items.next();
    items.fail(new Error('revoked'));
    await expect(waiting).rejects.toThrow('revoked');
    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  it('notifies its producer once when the reader leaves', async () => {
    const { queue: items, calls } = queue();
    items.push(1);
    for await (const item of items) {
      expect(item).toBe(1);
      break;
    }
    await items.return();
    expect(calls).toEqual(['left']);
  });
});
