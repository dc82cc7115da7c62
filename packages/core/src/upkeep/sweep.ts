import {
  deleteCredentialsRevokedBefore,
  deleteErasure,
  deleteEventsUpTo,
  deleteIdempotencyKeysBefore,
  deleteLoginCodesExpiredBefore,
  ERASE_CHUNKS,
  ERASE_HOLDERS,
  findTopicById,
  listErasures,
  listOverlongTopics,
  lockErasure,
  raiseFloor,
  releaseAsset,
  type Store,
  type TopicRow,
  type Tx,
} from '@stoa/store';
import type { Credentials } from '../access/credentials.js';
import type { Assets } from '../assets/assets.js';
import type { Clock } from '../ports.js';

export interface Retention {
  readonly idempotencyKeyMs: number;
  readonly revokedCredentialMs: number;
  readonly unusedAssetMs: number;
  /** Events kept in topics that are not channels; channel logs are permanent. */
  readonly humanTopicEvents: number;
}

export interface SweepReport {
  readonly idempotencyKeys: number;
  readonly credentials: number;
  readonly loginCodes: number;
  readonly trimmedEvents: number;
  readonly erasedRows: number;
  readonly assets: number;
}

const CHUNK = 500;
const HUMAN_TOPICS = { prefix: 'human:', end: 'human;' };

type GoOn = () => boolean;

/** Removes what may go, in transactions of bounded size, so that nobody waits long behind it. */
export class Sweeper {
  constructor(
    private readonly store: Store,
    private readonly assets: Assets,
    private readonly credentials: Credentials,
    private readonly clock: Clock,
    private readonly retention: Retention,
  ) {}

  /** Asks `goOn` before every transaction; what is left when it says no waits for the next sweep. */
  async sweep(goOn: GoOn = () => true): Promise<SweepReport> {
    const now = this.clock.now();
    const { idempotencyKeyMs, revokedCredentialMs, unusedAssetMs } = this.retention;
    await this.credentials.revokeExpired(CHUNK, goOn);
    return {
      idempotencyKeys: await this.#inChunks(goOn, () =>
        deleteIdempotencyKeysBefore.changes({ before: now - idempotencyKeyMs, limit: CHUNK }),
      ),
      credentials: await this.#once(goOn, () =>
        deleteCredentialsRevokedBefore.changes({ before: now - revokedCredentialMs }),
      ),
      loginCodes: await this.#once(goOn, () =>
        deleteLoginCodesExpiredBefore.changes({ before: now }),
      ),
      trimmedEvents: await this.#trim(goOn),
      erasedRows: await this.#erase(goOn),
      assets: goOn() ? await this.assets.collectUnused(unusedAssetMs, CHUNK, goOn) : 0,
    };
  }

  /** The floor rises first: readers see the gap before the rows are gone, never rows with holes. */
  async #trim(goOn: GoOn): Promise<number> {
    if (!goOn()) return 0;
    const keep = this.retention.humanTopicEvents;
    const overlong = await this.store.read(() =>
      listOverlongTopics.all({ ...HUMAN_TOPICS, keep, limit: CHUNK }),
    );
    let trimmed = 0;
    for (const topic of overlong) {
      const floor = topic.head - keep;
      await this.#once(goOn, () => raiseFloor.changes({ id: topic.id, floor }));
      trimmed += await this.#deleteEvents(goOn, topic.id, floor);
    }
    return trimmed;
  }

  async #erase(goOn: GoOn): Promise<number> {
    if (!goOn()) return 0;
    let erased = 0;
    for (const { topicId } of await this.store.read(() => listErasures.all({}))) {
      const topic = await this.store.read(() => findTopicById.first({ id: topicId }));
      if (topic) erased += await this.#eraseTopic(goOn, topic);
      await this.#once(goOn, () => deleteErasure.changes({ topicId }));
    }
    return erased;
  }

  async #eraseTopic(goOn: GoOn, { id: topicId, floor }: TopicRow): Promise<number> {
    const chunk = { topicId, limit: CHUNK };
    const now = this.clock.now();
    let erased = await this.#deleteEvents(goOn, topicId, floor);
    for (const verb of ERASE_CHUNKS) {
      erased += await this.#inChunks(goOn, () => inTurn(topicId, () => verb.changes(chunk)));
    }
    for (const { assets, erase } of ERASE_HOLDERS) {
      erased += await this.#inChunks(goOn, () =>
        inTurn(topicId, function* () {
          const held = yield* assets.all(chunk);
          const count = yield* erase.changes(chunk);
          const assetIds = [...new Set(held.map(({ assetId }) => assetId))].sort();
          for (const assetId of assetIds) yield* releaseAsset.run({ assetId, at: now });
          return count;
        }),
      );
    }
    return erased;
  }

  #deleteEvents(goOn: GoOn, topicId: number, seq: number): Promise<number> {
    return this.#inChunks(goOn, () => deleteEventsUpTo.changes({ topicId, seq, limit: CHUNK }));
  }

  async #inChunks(goOn: GoOn, step: () => Tx<number>): Promise<number> {
    let total = 0;
    for (;;) {
      const changed = await this.#once(goOn, step);
      total += changed;
      if (changed < CHUNK) return total;
    }
  }

  async #once(goOn: GoOn, step: () => Tx<number>): Promise<number> {
    return goOn() ? this.store.transact(step) : 0;
  }
}

/** Of several daemons one erases at a time: two would take the same rows and call a half chunk the last. */
function* inTurn(topicId: number, step: () => Tx<number>): Tx<number> {
  return (yield* lockErasure.first({ topicId })) ? yield* step() : 0;
}
