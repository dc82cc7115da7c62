import { type EventBody, StoaError } from '@stoa/protocol';
import {
  findEvent,
  findIdempotencyKey,
  insertEvent,
  insertIdempotencyKey,
  openTopicEnd,
  type Store,
  type Tx,
  together,
} from '@stoa/store';
import type { Clock } from '../ports.js';
import type { AppendedEntry, LogEntry, Position } from './entry.js';
import type { StoreWait } from './store-wait.js';

/** Updates the tables of a topic with one event. */
export type Project = (position: Position, event: EventBody) => Tx<void>;

export interface NewEvent {
  readonly topic: string;
  readonly event: EventBody;
}

/** The result of a decision: the events to append, and the answer once they have sequences. */
export interface Decision<R> {
  readonly events: readonly NewEvent[];
  readonly answer: (entries: readonly LogEntry[]) => R;
}

export interface Write<O, R> {
  readonly actor: string;
  /** The topic this write is about; writes of one lane share a commit. */
  readonly lane: string;
  /** Loads and, on PostgreSQL, locks what the decision depends on. */
  readonly open: () => Tx<O>;
  readonly decide: (opened: O, at: number) => Tx<Decision<R>>;
  readonly idempotency?: Idempotency<R> | undefined;
  /** Repeats the write while the store is unavailable; without it, the write fails at once. */
  readonly wait?:
    | { readonly store: StoreWait; readonly signal?: AbortSignal | undefined }
    | undefined;
}

export interface Idempotency<R> {
  readonly key: string;
  readonly fingerprint: string;
  /** Builds the same answer from the first event that the key produced. */
  readonly replay: (entry: LogEntry) => R;
}

/**
 * All events are appended here. One transaction: open, answer a repeated key, decide, number the events, append them,
 * update the projections, store the key. Then `committed` receives the entries, in commit order, and the caller is
 * answered.
 */
export class Log {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly project: Project,
    private readonly committed: (entries: readonly AppendedEntry[]) => void,
  ) {}

  /**
   * With `wait`, a write whose outcome is unknown is searched in the log before it is repeated, so the same events are
   * never appended twice.
   */
  async write<O, R>(write: Write<O, R>): Promise<R> {
    const { wait } = write;
    const { clock, project } = this;
    if (!wait) return this.#commit(write.lane, () => run(write, project, clock.now()));
    let tried: Written<R> | undefined;
    return wait.store.run(() => {
      const earlier = tried;
      return this.#commit(write.lane, function* () {
        const at = clock.now();
        tried = yield* earlier ? runAgain(write, project, earlier, at) : run(write, project, at);
        return tried;
      });
    }, wait.signal);
  }

  async #commit<R>(lane: string, body: () => Tx<Written<R>>): Promise<R> {
    const { answer } = await this.store.transact(body, {
      lane,
      afterCommit: ({ entries }) => {
        if (entries.length > 0) this.committed(entries);
      },
    });
    return answer;
  }
}

interface Written<R> {
  readonly answer: R;
  readonly entries: readonly AppendedEntry[];
}

function* run<O, R>(write: Write<O, R>, project: Project, at: number): Tx<Written<R>> {
  const opened = yield* write.open();
  if (write.idempotency) {
    const earlier = yield* replayed(write.actor, write.idempotency);
    if (earlier) return { answer: earlier.answer, entries: [] };
  }
  const decision = yield* write.decide(opened, at);
  const entries = yield* append(decision.events, project, write.actor, at);
  const first = entries[0];
  if (write.idempotency && first) {
    const { key, fingerprint } = write.idempotency;
    const { topicId, seq } = first;
    yield* insertIdempotencyKey.run({ actorId: write.actor, key, fingerprint, topicId, seq, at });
  }
  return { answer: decision.answer(entries), entries };
}

/** Repeats a write unless its events are in the log. Opening it locks its topic, so an earlier commit has ended. */
function* runAgain<O, R>(
  write: Write<O, R>,
  project: Project,
  earlier: Written<R>,
  at: number,
): Tx<Written<R>> {
  try {
    yield* write.open();
  } catch (error) {
    // The earlier attempt may be the reason for this refusal.
    if (error instanceof StoaError && (yield* isInLog(write.lane, earlier))) return earlier;
    throw error;
  }
  return (yield* isInLog(write.lane, earlier)) ? earlier : yield* run(write, project, at);
}

/** All events of a write are in one commit, so one of them is enough: an event of the locked topic. */
function* isInLog(lane: string, { entries }: Written<unknown>): Tx<boolean> {
  const sought = entries.find(({ topic }) => topic === lane) ?? entries[0];
  if (!sought) return false;
  const { topicId, seq } = sought;
  const found = yield* findEvent.first({ topicId, seq });
  return (
    found?.type === sought.type &&
    found.actor === sought.actor &&
    found.at === sought.at &&
    found.body === sought.body
  );
}

function* replayed<R>(actorId: string, idempotency: Idempotency<R>): Tx<{ answer: R } | undefined> {
  const { key, fingerprint, replay } = idempotency;
  const known = yield* findIdempotencyKey.first({ actorId, key });
  if (!known) return undefined;
  if (known.fingerprint !== fingerprint) {
    throw new StoaError('idempotency_conflict', `The key ${key} was used for another request`);
  }
  const row = yield* findEvent.first({ topicId: known.topicId, seq: known.seq });
  if (!row) throw new StoaError('channel_not_found', 'What this key produced was erased');
  return { answer: replay({ ...row, topic: '' }) };
}

/**
 * Topic rows are contended, so each is locked once, in sorted order, as late as possible. The entries have the order of
 * the events.
 */
function* append(
  events: readonly NewEvent[],
  project: Project,
  actor: string,
  at: number,
): Tx<AppendedEntry[]> {
  const entries: AppendedEntry[] = [];
  const topics = [...byTopic(events)];
  const ends = yield* together(...topics.map(([name]) => openTopicEnd.first({ name })));
  for (const [i, [topic, indexes]] of topics.entries()) {
    const end = ends[i];
    if (!end) throw new StoaError('topic_not_found', `There is no topic ${topic}`);
    let seq = end.head;
    for (const index of indexes) {
      seq += 1;
      const { event } = events[index] as NewEvent;
      const { type, data } = event;
      const body = JSON.stringify(data);
      const entry = { topic, topicId: end.id, seq, at, actor, type, body, data };
      yield* insertEvent.run(entry);
      yield* project({ topicId: end.id, seq, at, actor }, event);
      entries[index] = entry;
    }
  }
  return entries;
}

function byTopic(events: readonly NewEvent[]): Iterable<[string, number[]]> {
  const first = events[0];
  if (first && events.length === 1) return [[first.topic, [0]]];
  const groups = new Map<string, number[]>();
  events.forEach(({ topic }, index) => {
    const group = groups.get(topic);
    if (group) group.push(index);
    else groups.set(topic, [index]);
  });
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
