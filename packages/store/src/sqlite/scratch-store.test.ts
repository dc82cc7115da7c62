import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTopic, insertTopic } from '../statements/topics.js';
import { openScratchStore, type ScratchStore } from './scratch-store.js';

describe('a scratch store', () => {
  let store: ScratchStore;
  beforeEach(() => {
    store = openScratchStore(':memory:');
  });
  afterEach(() => store.close());

  it('is like a new one after it is emptied', async () => {
    const insert = (name: string) => store.transact(() => insertTopic.first({ name }));
    const first = await insert('channel:a');
    await insert('channel:b');
    store.empty();
    expect(await store.read(() => findTopic.first({ name: 'channel:a' }))).toBeUndefined();
    expect(await insert('channel:b')).toEqual(first);
  });
});
