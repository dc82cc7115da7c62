import {
  deleteErasure,
  deleteEventsUpTo,
  deleteIdempotencyKeysBefore,
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
import type { Clock } from '../ports.js';
import type { Retention } from './kernel.js';
import type { KeepGoing, Sweeps } from './module.js';
import type { Registry } from './registry.js';

/** The numbers of removed rows, by name. */
export type SweepReport = Readonly<Record<string, number>>;

const CHUNK = 500;

/** Removes expired data in transactions of bounded size, so that other writers do not wait long. */
export class Sweeper {
  constructor(
    private readonly registry: Registry,
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly retention: Retention,
    private readonly sweeps: () => Sweeps,
  ) {}

  /** Calls `keepGoing` before every transaction. If it returns false, the next sweep continues. */
  async sweep(keepGoing: KeepGoing = () => true): Promise<SweepReport> {
    const now = this.clock.now();
    const before = now - this.retention.idempotencyKeyMs;
    const report: Record<string, number> = {
      idempotencyKeys: await this.#inChunks(keepGoing, () =>
        deleteIdempotencyKeysBefore.changes({ before, limit: CHUNK }),
      ),
      trimmedEvents: await this.#trim(keepGoing),
      erasedRows: await this.#erase(keepGoing),
    };
    for (const [name, sweep] of Object.entries(this.sweeps())) {
      report[name] = keepGoing() ? await sweep(keepGoing, CHUNK) : 0;
    }
    return report;
  }

  /** The floor rises before the rows are deleted, so readers get a gap and never miss rows inside a page. */
  async #trim(keepGoing: KeepGoing): Promise<number> {
    if (!keepGoing()) return 0;
    const keep = this.retention.humanTopicEvents;
    const overlong: TopicRow[] = [];
    for (const kind of this.registry.trimmedKinds) {
      const names = { prefix: `${kind}:`, end: `${kind};` };
      overlong.push(
        ...(await this.store.read(() => listOverlongTopics.all({ ...names, keep, limit: CHUNK }))),
      );
    }
    let trimmed = 0;
    for (const topic of overlong) {
      const floor = topic.head - keep;
      await this.#once(keepGoing, () => raiseFloor.changes({ id: topic.id, floor }));
      trimmed += await this.#deleteEvents(keepGoing, topic.id, floor);
    }
    return trimmed;
  }

  async #erase(keepGoing: KeepGoing): Promise<number> {
    if (!keepGoing()) return 0;
    let erased = 0;
    for (const { topicId } of await this.store.read(() => listErasures.all({}))) {
      const topic = await this.store.read(() => findTopicById.first({ id: topicId }));
      if (topic) erased += await this.#eraseTopic(keepGoing, topic);
      await this.#once(keepGoing, () => deleteErasure.changes({ topicId }));
    }
    return erased;
  }

  async #eraseTopic(keepGoing: KeepGoing, { id: topicId, floor }: TopicRow): Promise<number> {
    const chunk = { topicId, limit: CHUNK };
    const now = this.clock.now();
    let erased = await this.#deleteEvents(keepGoing, topicId, floor);
    for (const statement of ERASE_CHUNKS) {
      erased += await this.#inChunks(keepGoing, () =>
        inTurn(topicId, () => statement.changes(chunk)),
      );
    }
    for (const { assets, erase } of ERASE_HOLDERS) {
      erased += await this.#inChunks(keepGoing, () =>
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

  #deleteEvents(keepGoing: KeepGoing, topicId: number, seq: number): Promise<number> {
    return this.#inChunks(keepGoing, () =>
      deleteEventsUpTo.changes({ topicId, seq, limit: CHUNK }),
    );
  }

  async #inChunks(keepGoing: KeepGoing, step: () => Tx<number>): Promise<number> {
    let total = 0;
    for (;;) {
      const changed = await this.#once(keepGoing, step);
      total += changed;
      if (changed < CHUNK) return total;
    }
  }

  async #once(keepGoing: KeepGoing, step: () => Tx<number>): Promise<number> {
    return keepGoing() ? this.store.transact(step) : 0;
  }
}

/** One daemon erases at a time: two would delete the same rows, and a partial chunk would seem to be the last. */
function* inTurn(topicId: number, step: () => Tx<number>): Tx<number> {
  return (yield* lockErasure.first({ topicId })) ? yield* step() : 0;
}
