import { expect, it } from 'vitest';
import { textOf, textWithAssets } from './item-text.js';

const ITEMS = [
  { type: 'text', text: 'before' },
  { type: 'asset_reference', assetId: 'asset_1' },
  { type: 'text', text: 'after' },
] as const;

it('the text of a message leaves out its assets', () => {
  expect(textOf(ITEMS)).toBe('before\nafter');
  expect(textOf(ITEMS, '')).toBe('beforeafter');
  expect(textOf([])).toBe('');
  expect(textOf([{ type: 'reasoning', text: 'hm' }, { type: 'tool_call' }])).toBe('');
});

it('the text of a message with its assets describes each in its position', () => {
  expect(textWithAssets(ITEMS, (assetId) => `[${assetId}]`)).toBe('before\n[asset_1]\nafter');
  expect(textWithAssets(ITEMS, () => 'a file', ', ')).toBe('before, a file, after');
});
