import {
  deleteCredentialsRevokedBefore,
  deleteErasure,
  deleteEventsUpTo,
  deleteIdempotencyKeysBefore,
  deleteLoginCodesExpiredBefore,
  ERASE_CHUNKS,
  findTopicById,
  listErasures,
  listOverlongTopics,
  raiseFloor,
  type Store,
  type TopicRow,
} from '@stoa/store';
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

/** Removes what may go, in transactions of bounded size, so that nobody waits long behind it. */
export class Sweeper {
  constructor(
    private readonly store: Store,
    private readonly assets: Assets,
    private readonly clock: Clock,
    private readonly retention: Retention,
  ) {}

  async sweep(): Promise<SweepReport> {
    const now = this.clock.now();
    return {
      idempotencyKeys: await this.#inChunks(() =>
        this.store.transact(() =>
          deleteIdempotencyKeysBefore.run({
            before: now - this.retention.idempotencyKeyMs,
            limit: CHUNK,
          }),
        ),
      ),
      credentials: await this.store.transact(() =>
        deleteCredentialsRevokedBefore.run({ before: now - this.retention.revokedCredentialMs }),
      ),
      loginCodes: await this.store.transact(() =>
        deleteLoginCodesExpiredBefore.run({ before: now }),
      ),
      trimmedEvents: await this.#trim(),
      erasedRows: await this.#erase(),
      assets: await this.assets.collectUnused(this.retention.unusedAssetMs, CHUNK),
    };
  }

  /** The floor rises first: readers see the gap before the rows are gone, never rows with holes. */
  async #trim(): Promise<number> {
    const keep = this.retention.humanTopicEvents;
    const overlong = await this.store.read(() =>
      listOverlongTopics.all({ ...HUMAN_TOPICS, keep, limit: CHUNK }),
    );
    let trimmed = 0;
    for (const topic of overlong) {
      const floor = topic.head - keep;
      await this.store.transact(() => raiseFloor.run({ id: topic.id, floor }));
      trimmed += await this.#deleteEvents(topic.id, floor);
    }
    return trimmed;
  }

  async #erase(): Promise<number> {
    let erased = 0;
    for (const { topicId } of await this.store.read(() => listErasures.all({}))) {
      const topic = await this.store.read(() => findTopicById.first({ id: topicId }));
      if (topic) erased += await this.#eraseTopic(topic);
      await this.store.transact(() => deleteErasure.run({ topicId }));
    }
    return erased;
  }

  async #eraseTopic(topic: TopicRow): Promise<number> {
    let erased = await this.#deleteEvents(topic.id, topic.floor);
    for (const verb of ERASE_CHUNKS) {
      erased += await this.#inChunks(() =>
        this.store.transact(() => verb.run({ topicId: topic.id, limit: CHUNK })),
      );
    }
    return erased;
  }

  #deleteEvents(topicId: number, seq: number): Promise<number> {
    return this.#inChunks(() =>
      this.store.transact(() => deleteEventsUpTo.run({ topicId, seq, limit: CHUNK })),
    );
  }

  async #inChunks(step: () => Promise<number>): Promise<number> {
    let total = 0;
    for (;;) {
      const changed = await step();
      total += changed;
      if (changed < CHUNK) return total;
    }
  }
}
