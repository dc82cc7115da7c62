import type { ChannelEvent, IntegrityReport } from '@stoa/protocol';
import {
  CHANNEL_PROJECTIONS,
  type EventRow,
  insertTopicWithId,
  listErasures,
  listEventsAfter,
  listTopicsAfter,
  type Store,
  type TopicRow,
  type Tx,
} from '@stoa/store';
import { projectChannelEvent } from '../channels/projection.js';

const PAGE = 500;
const PROBLEMS_SHOWN = 100;

/**
 * Proves that the tables of every channel are what a replay of its log from zero gives, and that
 * every log is dense. The replay goes into a scratch store, so nothing of the real one is touched.
 */
export async function checkReplay(
  store: Store,
  openScratch: () => Promise<Store>,
): Promise<IntegrityReport> {
  const problems = await store.integrityProblems();
  const erasures = await store.read(() => listErasures.all({}));
  const erasing = new Set(erasures.map(({ topicId }) => topicId));
  let topics = 0;
  let events = 0;
  let after = 0;
  for (;;) {
    const rows = await store.read(() => listTopicsAfter.all({ id: after, limit: PAGE }));
    for (const topic of rows) {
      after = topic.id;
      topics += 1;
      const scratch = await openScratch();
      try {
        events += await checkTopic(store, scratch, topic, problems);
        // The rows of a deleted channel stay until they are swept; what they are replayed from is gone.
        if (isChannel(topic) && !erasing.has(topic.id)) {
          await compare(store, scratch, topic, problems);
        }
      } finally {
        await scratch.close();
      }
    }
    if (rows.length < PAGE) break;
  }
  return { ok: problems.length === 0, topics, events, problems: problems.slice(0, PROBLEMS_SHOWN) };
}

async function checkTopic(
  store: Store,
  scratch: Store,
  topic: TopicRow,
  problems: string[],
): Promise<number> {
  await scratch.transact(() => insertTopicWithId.run(topic));
  let expected = topic.floor;
  let after = topic.floor;
  for (;;) {
    const page = await store.read(() =>
      listEventsAfter.all({ topicId: topic.id, after, limit: PAGE }),
    );
    const rows = page.filter((row) => row.seq <= topic.head);
    for (const row of rows) {
      expected += 1;
      if (row.seq !== expected)
        problems.push(
          `${topic.name}: expected sequence ${String(expected)}, found ${String(row.seq)}`,
        );
      expected = row.seq;
    }
    if (isChannel(topic)) await scratch.transact(() => replay(rows));
    after = expected;
    if (rows.length < PAGE) break;
  }
  if (expected !== topic.head)
    problems.push(
      `${topic.name}: the head is ${String(topic.head)}, the log ends at ${String(expected)}`,
    );
  return topic.head - topic.floor;
}

const isChannel = ({ name }: TopicRow): boolean => name.startsWith('channel:');

function* replay(rows: readonly EventRow[]): Tx<void> {
  for (const { topicId, seq, at, actor, type, body } of rows) {
    const event = { type, data: JSON.parse(body) as unknown } as ChannelEvent;
    yield* projectChannelEvent({ topicId, seq, at, actor }, event);
  }
}

async function compare(
  store: Store,
  scratch: Store,
  topic: TopicRow,
  problems: string[],
): Promise<void> {
  for (const [table, rows] of Object.entries(CHANNEL_PROJECTIONS)) {
    for (let offset = 0; ; offset += PAGE) {
      const page = { topicId: topic.id, offset, limit: PAGE };
      const [kept, replayed] = await Promise.all([
        store.read(() => rows.all(page)),
        scratch.read(() => rows.all(page)),
      ]);
      if (JSON.stringify(kept) !== JSON.stringify(replayed)) {
        problems.push(
          `${topic.name}: table ${table} differs from a replay of the log near row ${String(offset)}`,
        );
        break;
      }
      if (kept.length < PAGE) break;
    }
  }
}
