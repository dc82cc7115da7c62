import { type Asset, actorIdOf, LIMITS, type Principal, StoaError } from '@stoa/protocol';
import {
  type AssetRow,
  deleteUnusedAsset,
  findAsset,
  findAssetByDigest,
  insertAsset,
  listUnusedAssets,
  renewAsset,
  type Store,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import type { AssetFiles, Clock, Ids } from '../ports.js';

/**
 * Stores bytes once, by digest. A file is written before its record and removed after it. Operations on the same bytes run one
 * after the other: otherwise bytes that are stored again could be removed with those that were just collected.
 */
export class Assets {
  /** The last operation on each digest; the next one waits for it. */
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

  read({ digest }: Pick<Asset, 'digest'>): Promise<Uint8Array> {
    return this.files.read(digest);
  }

  async delete(principal: Principal, assetId: string): Promise<void> {
    const asset = await this.get(assetId);
    if (callerClass(principal) !== 'admin' && asset.createdBy !== actorIdOf(principal)) {
      throw new StoaError('forbidden', 'Only the uploader or the owner may delete an asset');
    }
    if (!(await this.#collect(asset, Number.MAX_SAFE_INTEGER))) {
      // Throws if somebody else deleted it meanwhile.
      await this.get(assetId);
      throw new StoaError('asset_in_use', `${assetId} is pinned or attached`);
    }
  }

  /** Deletes at most `limit` assets that were unused for long. Returns their number. */
  async collectUnused(
    olderThanMs: number,
    limit: number,
    keepGoing: () => boolean,
  ): Promise<number> {
    const before = this.clock.now() - olderThanMs;
    const unused = await this.store.read(() => listUnusedAssets.all({ before, limit }));
    let collected = 0;
    for (const asset of unused) {
      if (!keepGoing()) break;
      if (await this.#collect(asset, before)) collected += 1;
    }
    return collected;
  }

  #collect({ assetId, digest }: Pick<AssetRow, 'assetId' | 'digest'>, before: number) {
    return this.#inTurn(digest, async () => {
      const deleted = await this.store.transact(() =>
        deleteUnusedAsset.changes({ assetId, before }),
      );
      if (deleted === 0) return false;
      const again = await this.store.read(() => findAssetByDigest.first({ digest }));
      if (!again) await this.files.remove(digest);
      return true;
    });
  }

  #inTurn<T>(digest: string, work: () => Promise<T>): Promise<T> {
    const alone = (): Promise<T> => this.store.exclusively(`asset ${digest}`, work);
    const turn = (this.#turns.get(digest) ?? Promise.resolve()).then(alone, alone);
    this.#turns.set(digest, turn);
    const leave = (): void => {
      if (this.#turns.get(digest) === turn) this.#turns.delete(digest);
    };
    turn.then(leave, leave);
    return turn;
  }

  /** Known bytes are renewed, so that their uploader has the same time to use them. */
  *#record(fields: Omit<AssetRow, 'assetId' | 'createdAt' | 'unusedSince'>): Tx<AssetRow> {
    const { digest } = fields;
    const at = this.clock.now();
    yield* renewAsset.run({ digest, at });
    const known = yield* findAssetByDigest.first({ digest });
    if (known) return known;
    const assetId = this.ids.next('ast');
    const row: AssetRow = { ...fields, assetId, createdAt: at, unusedSince: at };
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

function assetRecord({ name, unusedSince: _, ...row }: AssetRow): Asset {
  return { ...row, ...(name === null ? {} : { name }) };
}
