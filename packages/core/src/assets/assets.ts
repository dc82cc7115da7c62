import { type Asset, actorIdOf, LIMITS, type Principal, StoaError } from '@stoa/protocol';
import {
  type AssetRow,
  deleteUnusedAsset,
  findAsset,
  findAssetByDigest,
  insertAsset,
  listUnusedAssets,
  type Store,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import type { AssetFiles, Clock, Ids } from '../ports.js';

/** Bytes by digest, once. The file is on disk before the record is, and goes after it. */
export class Assets {
  /** What is done last with the same bytes; the next waits for it. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly store: Store,
    private readonly files: AssetFiles,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  async create(bytes: Uint8Array, name: string | undefined, actor: string): Promise<Asset> {
    assertAssetSize(bytes);
    const { digest, mediaType } = await this.files.write(bytes);
    return this.#inTurn(digest, async () => {
      const row = await this.store.transact(() =>
        this.#record({
          digest,
          mediaType,
          bytes: bytes.length,
          name: name ?? null,
          createdBy: actor,
        }),
      );
      // A collection of the same bytes may have removed the file between the write and the record.
      if (!(await this.files.exists(digest))) await this.files.write(bytes);
      return assetRecord(row);
    });
  }

  async get(assetId: string): Promise<Asset> {
    const row = await this.store.read(() => findAsset.first({ assetId }));
    if (!row) throw new StoaError('asset_not_found', `There is no asset ${assetId}`);
    return assetRecord(row);
  }

  async delete(principal: Principal, assetId: string): Promise<void> {
    const asset = await this.get(assetId);
    if (callerClass(principal) !== 'admin' && asset.createdBy !== actorIdOf(principal)) {
      throw new StoaError('forbidden', 'Only the uploader or the owner may delete an asset');
    }
    if (!(await this.#collect(asset))) {
      // Somebody else may have deleted it meanwhile, which is not the same as being in use.
      await this.get(assetId);
      throw new StoaError('asset_in_use', `${assetId} is pinned or attached`);
    }
  }

  /** Collects a bounded number of old assets that nothing refers to; tells how many. */
  async collectUnused(olderThanMs: number, limit: number): Promise<number> {
    const before = this.clock.now() - olderThanMs;
    const unused = await this.store.read(() => listUnusedAssets.all({ before, limit }));
    let collected = 0;
    for (const asset of unused) if (await this.#collect(asset)) collected += 1;
    return collected;
  }

  #collect({ assetId, digest }: { assetId: string; digest: string }): Promise<boolean> {
    return this.#inTurn(digest, async () => {
      const deleted = await this.store.transact(() => deleteUnusedAsset.run({ assetId }));
      if (deleted === 0) return false;
      const again = await this.store.read(() => findAssetByDigest.first({ digest }));
      if (!again) await this.files.remove(digest);
      return true;
    });
  }

  /** Otherwise bytes that are stored again could go with the file of those just collected. */
  #inTurn<T>(digest: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(digest) ?? Promise.resolve()).then(work, work);
    this.#turns.set(digest, turn);
    const leave = (): void => {
      if (this.#turns.get(digest) === turn) this.#turns.delete(digest);
    };
    turn.then(leave, leave);
    return turn;
  }

  *#record(fields: Omit<AssetRow, 'assetId' | 'createdAt'>): Tx<AssetRow> {
    const known = yield* findAssetByDigest.first({ digest: fields.digest });
    if (known) return known;
    const row: AssetRow = { ...fields, assetId: this.ids.next('ast'), createdAt: this.clock.now() };
    yield* insertAsset.run(row);
    return row;
  }
}

export function assertAssetSize(bytes: Uint8Array): void {
  if (bytes.length > LIMITS.assetBytes) {
    throw new StoaError(
      'payload_too_large',
      `An asset is limited to ${String(LIMITS.assetBytes)} bytes`,
    );
  }
  if (bytes.length === 0) throw new StoaError('invalid_request', 'An asset has at least one byte');
}

function assetRecord({ name, ...row }: AssetRow): Asset {
  return { ...row, ...(name === null ? {} : { name }) };
}
