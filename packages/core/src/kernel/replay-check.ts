import { type IntegrityReport, StoaError } from '@stoa/protocol';
import {
  type EventRow,
  findTopicById,
  insertTopicWithId,
  listErasures,
  listEventsAfter,
  listTopicsAfter,
  type ScratchStore,
  type Store,
  type TableDump,
  type TopicRow,
  type Tx,
} from '@stoa/store';
import { decodeEvent } from './codec.js';
import type { Registry } from './registry.js';

const PAGE = 500;
const PROBLEMS_SHOWN = 100;

/**
 * Checks that the tables of every topic equal a replay of its log, and that the sequences of every log have no gaps. The
 * replay uses a scratch store, so the real store is not changed. Others may write meanwhile: every page is compared with
 * a replay up to the moment it was read.
 */
export async function checkReplay(
  registry: Registry,
  store: Store,
  openScratch: () => Promise<ScratchStore>,
): Promise<IntegrityReport> {
  const problems = await store.integrityProblems();
  let topics = 0;
  let events = 0;
  let after = 0;
  const scratch = await openScratch();
  try {
    for (;;) {
      const rows = await store.read(() => listTopicsAfter.all({ id: after, limit: PAGE }));
      for (const topic of rows) {
        after = topic.id;
        topics += 1;
        const replayed = new Replay(registry, store, scratch, topic, problems);
        const tables = registry.tablesOf(topic.name);
        if ((await replayed.begin()) && tables)
          await compare(store, replayed, topic, tables, problems);
        events += replayed.events;
        // Rows of one topic must not hide missing rows of the next.
        scratch.empty();
      }
      if (rows.length < PAGE) break;
    }
  } finally {
    await scratch.close();
  }
  return { ok: problems.length === 0, topics, events, problems: problems.slice(0, PROBLEMS_SHOWN) };
}

type Tables = Readonly<Record<string, TableDump>>;

/** The log of one topic, replayed in a scratch store up to a given event. */
class Replay {
  #reached: number;

  constructor(
    private readonly registry: Registry,
    private readonly store: Store,
    readonly scratch: Store,
    private readonly topic: TopicRow,
    private readonly problems: string[],
  ) {
    this.#reached = topic.floor;
  }

  get events(): number {
    return this.#reached - this.topic.floor;
  }

  async begin(): Promise<boolean> {
    await this.scratch.transact(() => insertTopicWithId.run(this.topic));
    return this.upTo(this.topic.head);
  }

  /** Returns false if the log is so damaged that it cannot be replayed. */
  async upTo(head: number): Promise<boolean> {
    const { id: topicId, name } = this.topic;
    while (this.#reached < head) {
      const after = this.#reached;
      const { floor, page } = await this.store.read(function* () {
        const topic = yield* findTopicById.first({ id: topicId });
        const page = yield* listEventsAfter.all({ topicId, after, limit: PAGE });
        return { floor: topic?.floor ?? 0, page };
      });
      if (floor > after) {
        // The events were trimmed since the topic was listed.
        this.#reached = floor;
        continue;
      }
      const rows = page.filter((row) => row.seq <= head);
      for (const { seq } of rows) {
        if (seq !== this.#reached + 1) {
          const expected = String(this.#reached + 1);
          this.problems.push(`${name}: expected sequence ${expected}, found ${String(seq)}`);
        }
        this.#reached = seq;
      }
      if (!(await this.#replay(rows))) return false;
      if (rows.length > 0) continue;
      const end = String(this.#reached);
      this.problems.push(`${name}: the head is ${String(head)}, the log ends at ${end}`);
      return true;
    }
    return true;
  }

  /** Reports a damaged event as a problem instead of failing. */
  async #replay(rows: readonly EventRow[]): Promise<boolean> {
    if (!this.registry.tablesOf(this.topic.name)) return true;
    const at: { seq?: number } = {};
    try {
      await this.scratch.transact(() => replay(this.registry, rows, at));
      return true;
    } catch (error) {
      if (at.seq === undefined || isOfStore(error)) throw error;
      const why = error instanceof Error ? error.message : String(error);
      this.problems.push(`${this.topic.name}: event ${String(at.seq)} cannot be replayed: ${why}`);
      return false;
    }
  }
}

/** The scratch store failed, not the replay. */
const isOfStore = (error: unknown): boolean =>
  error instanceof StoaError && (error.code === 'storage_full' || error.code === 'shutting_down');

/** Sets `reached` to the event that it replays. */
function* replay(
  registry: Registry,
  rows: readonly EventRow[],
  reached: { seq?: number },
): Tx<void> {
  for (const row of rows) {
    const { topicId, seq, at, actor } = row;
    reached.seq = seq;
    yield* registry.project({ topicId, seq, at, actor }, decodeEvent(row));
  }
}

/** Compares page by page, each with a replay up to the moment it was read. */
async function compare(
  store: Store,
  replayed: Replay,
  topic: TopicRow,
  tables: Tables,
  problems: string[],
): Promise<void> {
  for (const [table, rows] of Object.entries(tables)) {
    for (let offset = 0; ; offset += PAGE) {
      const page = { topicId: topic.id, offset, limit: PAGE };
      const { head, isComparable, kept } = await store.read(function* () {
        const now = yield* findTopicById.first({ id: topic.id });
        const erasures = yield* listErasures.all({});
        return {
          head: now?.head ?? 0,
          // The rows of a deleted channel stay until the sweep, but its events are deleted.
          isComparable:
            now?.floor === topic.floor && !erasures.some(({ topicId }) => topicId === topic.id),
          kept: yield* rows.all(page),
        };
      });
      if (!isComparable) return;
      if (!(await replayed.upTo(head))) return;
      const expected = await replayed.scratch.read(() => rows.all(page));
      if (JSON.stringify(kept) !== JSON.stringify(expected)) {
        const near = `near row ${String(offset)}`;
        problems.push(`${topic.name}: table ${table} differs from a replay of the log ${near}`);
        break;
      }
      if (kept.length < PAGE) break;
    }
  }
}
