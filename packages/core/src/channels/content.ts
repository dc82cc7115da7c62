import { type InputItem, StoaError, type StoredItem } from '@stoa/protocol';
import { holdAsset, type Tx } from '@stoa/store';
import type { Assets } from '../assets/assets.js';

interface Content {
  readonly text?: string | undefined;
  readonly inputItems?: readonly InputItem[] | undefined;
}

/** Turns what a caller sent into what a message holds; inline assets are stored on the way. */
export async function admitContent(
  assets: Assets,
  content: Content,
  actor: string,
): Promise<StoredItem[]> {
  const { text, inputItems } = content;
  if ((text === undefined) === (inputItems === undefined)) {
    throw new StoaError('invalid_request', 'Give exactly one of text and inputItems', [
      { path: 'body', message: 'exactly one of text and inputItems' },
    ]);
  }
  if (text !== undefined) return [{ type: 'text', text }];
  const stored: StoredItem[] = [];
  for (const item of inputItems ?? []) {
    if (item.type !== 'inline_asset') stored.push(item);
    else
      stored.push({
        type: 'asset_reference',
        assetId: (await assets.storeInline(item, actor)).assetId,
      });
  }
  return stored;
}

/** Inside the transaction: what is referred to exists, and cannot be collected before the commit. */
export function* holdAssets(items: readonly StoredItem[]): Tx<void> {
  for (const item of items) {
    if (item.type !== 'asset_reference') continue;
    const asset = yield* holdAsset.first({ assetId: item.assetId });
    if (!asset) throw new StoaError('unknown_asset', `There is no asset ${item.assetId}`);
  }
}
