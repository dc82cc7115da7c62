import { type InputItem, LIMITS, StoaError, type StoredItem, textOf } from '@stoa/protocol';
import { holdAsset, insertAttachment, markAssetUsed, type Store, type Tx } from '@stoa/store';
import { type Assets, assertAssetSize } from './assets.js';
import { decodeBase64 } from './base64.js';
import { assetOfBoard } from './board-reference.js';

interface Content {
  readonly text?: string | undefined;
  readonly inputItems?: readonly InputItem[] | undefined;
}

/**
 * Turns the content of a request into stored items. Inline assets are stored before the write that refers to them, so
 * `rehearse` first checks everything that would refuse that write.
 */
export async function admitContent(
  { store, assets }: { readonly store: Store; readonly assets: Assets },
  content: Content,
  actor: string,
  rehearse: (ready: readonly StoredItem[]) => Tx<void>,
): Promise<StoredItem[]> {
  const { text, inputItems } = content;
  if ((text === undefined) === (inputItems === undefined)) {
    throw new StoaError('invalid_request', 'Give exactly one of text and inputItems', [
      { path: 'body', message: 'exactly one of text and inputItems' },
    ]);
  }
  assertHasContent(inputItems ?? [{ type: 'text', text: text ?? '' }]);
  if (text !== undefined) return [{ type: 'text', text }];
  assertTextFits(inputItems ?? []);
  const items = (await withoutBoards(store, inputItems ?? [], actor)).map(decoded);
  const ready = items.filter(isStored);
  if (ready.length === items.length) return ready;
  await store.transact(() => rehearse(ready));
  const stored: StoredItem[] = [];
  for (const item of items)
    stored.push(isStored(item) ? item : await storeInline(assets, item, actor));
  return stored;
}

/** Whether an item is more than white space. */
export const hasContent = (item: InputItem): boolean =>
  item.type !== 'text' || item.text.trim() !== '';

function assertHasContent(items: readonly InputItem[]): void {
  if (items.some(hasContent)) return;
  throw new StoaError('invalid_request', 'The text is only white space');
}

function assertTextFits(items: readonly InputItem[]): void {
  if (textOf(items, '').length <= LIMITS.messageTextChars) return;
  const limit = `at most ${String(LIMITS.messageTextChars)} characters of text in all`;
  throw new StoaError('invalid_request', 'The message is too long', [
    { path: 'body.inputItems', message: limit },
  ]);
}

type WithoutBoards = Exclude<InputItem, { type: 'board_reference' }>;

/** Replaces board references by assets, before anything is stored for the message. */
async function withoutBoards(
  store: Store,
  items: readonly InputItem[],
  actor: string,
): Promise<readonly WithoutBoards[]> {
  if (!items.some(isBoard)) return items as readonly WithoutBoards[];
  return store.read(function* () {
    const found: WithoutBoards[] = [];
    for (const item of items) {
      if (!isBoard(item)) found.push(item);
      else found.push({ type: 'asset_reference', assetId: yield* assetOfBoard(actor, item) });
    }
    return found;
  });
}

const isBoard = (item: InputItem) => item.type === 'board_reference';

interface DecodedAsset {
  readonly type: 'inline_asset';
  readonly bytes: Uint8Array;
  readonly name: string | undefined;
}

function decoded(item: WithoutBoards): StoredItem | DecodedAsset {
  if (item.type !== 'inline_asset') return item;
  const bytes = decodeBase64(item.data);
  assertAssetSize(bytes);
  return { type: item.type, bytes, name: item.name };
}

const isStored = (item: StoredItem | DecodedAsset): item is StoredItem =>
  item.type !== 'inline_asset';

async function storeInline(
  assets: Assets,
  { bytes, name }: DecodedAsset,
  actor: string,
): Promise<StoredItem> {
  const { assetId } = await assets.create(bytes, name, actor);
  return { type: 'asset_reference', assetId };
}

/**
 * Inside the transaction: checks that referenced assets exist, and prevents their collection before the commit. Assets are
 * locked in the order of their ids, which avoids deadlocks.
 */
export function* holdAssets(items: readonly StoredItem[]): Tx<void> {
  const ids = items.flatMap((item) => (item.type === 'asset_reference' ? [item.assetId] : []));
  for (const assetId of [...new Set(ids)].sort()) {
    const asset = yield* holdAsset.first({ assetId });
    if (!asset) throw new StoaError('unknown_asset', `There is no asset ${assetId}`);
  }
}

/** Keeps the assets that a message, an item or an output refers to, as long as its topic exists. */
export function* holdReferences(
  topicId: number,
  messageId: string,
  items: readonly StoredItem[],
): Tx<void> {
  for (const item of items) {
    if (item.type !== 'asset_reference') continue;
    yield* insertAttachment.run({ topicId, messageId, assetId: item.assetId });
    yield* markAssetUsed.run({ assetId: item.assetId });
  }
}
