import { setImmediate as macrotask } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from './entry.js';
import { Hub } from './hub.js';
import type { TopicSlice } from './read-topic.js';
import { READER_LIMIT_BYTES, type Reader } from './reader.js';

const TOPIC = 'channel:lobby';

/** A log in memory. Reads see what is there when they are let go, and arrive when they are let go again. */
class SlowLog {
  readonly events: LogEntry[] = [];
  floor = 0;
  isSlow = false;
  failure: Error | undefined;
  #waiting: (() => void)[] = [];

  append(count = 1): LogEntry[] {
    const added = Array.from({ length: count }, (_, i) => entry(this.events.length + 1 + i));
    this.events.push(...added);
    return added;
  }

  readonly read = async (topic: string, after: number, limit: { events: number }) => {
    if (this.failure) throw this.failure;
    await this.#pause();
    const slice = topic === TOPIC ? this.#slice(after, limit.events) : undefined;
    await this.#pause();
    return slice;
  };

  /** Lets everything that waits go one step further. */
  async goOn(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve();
    await macrotask();
  }

  #slice(after: number, limit: number): TopicSlice {
    const from = Math.max(after, this.floor);
    const head = this.events.length;
    return { entries: this.events.slice(from, from + limit), head, oldest: this.floor + 1 };
  }

  #pause(): Promise<void> {
    if (!this.isSlow) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

const entry = (seq: number): LogEntry => ({
  topic: TOPIC,
  topicId: 1,
  seq,
  at: seq,
  type: 'channel_updated',
  actor: 'human:owner',
  body: '{}',
});

/** Remembers what it is told; says that as much is pending as the test wants. */
class TestReader implements Reader {
  readonly told: string[] = [];
  pending = 0;
  #room: (() => void) | undefined;
  #stall: ((error: Error) => void) | undefined;

  event({ seq }: LogEntry): void {
    this.told.push(String(seq));
  }
  chunk(): void {}

  gap(_: string, after: number, oldest: number, reason: string): void {
    this.told.push(`${reason} after ${String(after)}, next is ${String(oldest)}`);
  }
  cutOff(reason: string): void {
    this.told.push(`cut off: ${reason}`);
  }
  pendingBytes(): number {
    return this.pending;
  }
  drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#room = resolve;
      this.#stall = reject;
    });
  }

  async stall(): Promise<void> {
    this.#stall?.(new Error('it takes nothing'));
    await macrotask();
  }
  async drain(): Promise<void> {
    this.pending = 0;
    this.#room?.();
    await macrotask();
  }
}

function newHub() {
  const log = new SlowLog();
  const reports: unknown[] = [];
  const hub = new Hub({ read: log.read, report: (error) => reports.push(error) });
  const follow = async (after?: number, reader = new TestReader()) => {
    const subscription = await hub.follow(reader, TOPIC, after);
    if (!subscription) throw new Error('there is no such topic');
    subscription.begin();
    await macrotask();
    return { reader, subscription };
  };
  const commit = (count?: number): void => {
    hub.committed(log.append(count));
  };
  return { log, hub, reports, follow, commit };
}

describe('following a topic', () => {
  it('F-25 gives exactly what was missed, in order, and then what comes', async () => {
    const { log, follow, commit } = newHub();
    log.append(5);
    const { reader } = await follow(2);
    commit();
    commit(2);
    expect(reader.told).toEqual(['3', '4', '5', '6', '7', '8']);
  });

  it('starts from now without a position', async () => {
    const { log, follow, commit } = newHub();
    log.append(5);
    const { reader, subscription } = await follow();
    expect(subscription.position).toBe(5);
    commit();
    expect(reader.told).toEqual(['6']);
  });

  it('finds no topic where there is none, and forgets that it was asked', async () => {
    const { hub } = newHub();
    expect(await hub.follow(new TestReader(), 'channel:nowhere', 0)).toBeUndefined();
    expect(hub.topicCount).toBe(0);
  });

  it('F-25 gives more than one page of missed events, each once', async () => {
    const { log, follow } = newHub();
    log.append(950);
    const { reader } = await follow(0);
    expect(reader.told).toEqual(log.events.map(({ seq }) => String(seq)));
  });

  it('F-26 tells of what is no longer kept before it gives the rest', async () => {
    const { log, follow, commit } = newHub();
    log.append(9);
    log.floor = 6;
    const { reader } = await follow(2);
    commit();
    expect(reader.told).toEqual(['trimmed after 2, next is 7', '7', '8', '9', '10']);
  });

  it('tells a reader that is ahead of the log, as after a restored backup', async () => {
    const { log, follow, commit } = newHub();
    log.append(3);
    const { reader } = await follow(7);
    commit();
    expect(reader.told).toEqual(['ahead after 7, next is 4', '4']);
  });

  it('keeps no feed when the last reader has left', async () => {
    const { hub, follow, commit } = newHub();
    const first = await follow(0);
    const second = await follow(0);
    first.subscription.end();
    first.subscription.end();
    expect(hub.topicCount).toBe(1);
    second.subscription.end();
    expect(hub.topicCount).toBe(0);
    commit();
    expect([...first.reader.told, ...second.reader.told]).toEqual([]);
  });
});

describe('a commit that comes while a reader is only just following', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'F-25 is given once, after %i steps of its first reads',
    async (steps) => {
      const { log, hub, commit } = newHub();
      log.append(3);
      log.isSlow = true;
      const reader = new TestReader();
      const following = hub.follow(reader, TOPIC, 1).then((subscription) => subscription?.begin());
      for (let i = 0; i < steps; i++) await log.goOn();
      commit();
      for (let i = 0; i < 8; i++) await log.goOn();
      await following;
      commit();
      for (let i = 0; i < 8; i++) await log.goOn();
      expect(reader.told).toEqual(['2', '3', '4', '5']);
    },
  );

  it('is given once when another reader made the feed before', async () => {
    const { log, hub, follow, commit } = newHub();
    log.append(2);
    const first = await follow(2);
    log.isSlow = true;
    const reader = new TestReader();
    const following = hub.follow(reader, TOPIC, 0).then((subscription) => subscription?.begin());
    await log.goOn();
    commit(2);
    for (let i = 0; i < 8; i++) await log.goOn();
    await following;
    expect(reader.told).toEqual(['1', '2', '3', '4']);
    expect(first.reader.told).toEqual(['3', '4']);
  });
});

describe('what another daemon wrote', () => {
  it('is read from the log when it is hinted at, once, however often', async () => {
    const { log, hub, follow } = newHub();
    const { reader } = await follow(0);
    log.append(3);
    hub.hint(TOPIC);
    hub.hint(TOPIC);
    hub.hint(undefined);
    await macrotask();
    expect(reader.told).toEqual(['1', '2', '3']);
  });

  it('comes before what was committed here after it, also without a hint', async () => {
    const { log, follow, commit } = newHub();
    const { reader } = await follow(0);
    log.append(2);
    commit();
    await macrotask();
    expect(reader.told).toEqual(['1', '2', '3']);
  });

  it('is not missed when it is committed while the log is read', async () => {
    const { log, hub, follow } = newHub();
    const { reader } = await follow(0);
    log.isSlow = true;
    log.append();
    hub.hint(TOPIC);
    await log.goOn();
    log.append();
    hub.hint(TOPIC);
    for (let i = 0; i < 10; i++) await log.goOn();
    expect(reader.told).toEqual(['1', '2']);
  });

  it('F-26 leaves a gap that is told when it was trimmed before it was heard of', async () => {
    const { log, hub, follow } = newHub();
    log.append(2);
    const { reader } = await follow(2);
    log.append(4);
    log.floor = 5;
    hub.hint(TOPIC);
    await macrotask();
    expect(reader.told).toEqual(['trimmed after 2, next is 6', '6']);
  });
});

describe('a reader that does not keep up', () => {
  it('F-27 is told of its gap and cut off, and can resume where it was', async () => {
    const { follow, commit } = newHub();
    const slow = await follow(0);
    const fast = await follow(0);
    commit(2);
    slow.reader.pending = READER_LIMIT_BYTES + 1;
    commit(2);
    expect(slow.reader.told).toEqual([
      '1',
      '2',
      'slow_reader after 2, next is 3',
      'cut off: slow_reader',
    ]);
    expect(fast.reader.told).toEqual(['1', '2', '3', '4']);
    const resumed = await follow(slow.subscription.position);
    expect(resumed.reader.told).toEqual(['3', '4']);
  });

  it('F-27 is waited for while it catches up, and holds nobody else up', async () => {
    const { log, follow, commit } = newHub();
    log.append(250);
    const slow = new TestReader();
    slow.pending = READER_LIMIT_BYTES;
    await follow(0, slow);
    const other = await follow(250);
    commit();
    expect(other.reader.told).toEqual(['251']);
    expect(slow.told).toHaveLength(200);
    await slow.drain();
    expect(slow.told).toEqual(log.events.map(({ seq }) => String(seq)));
  });

  it('F-27 is cut off as too slow when it stands still while it catches up', async () => {
    const { log, hub, reports, follow } = newHub();
    log.append(250);
    const slow = new TestReader();
    slow.pending = READER_LIMIT_BYTES;
    await follow(0, slow);
    await slow.stall();
    expect(slow.told.slice(200)).toEqual([
      'slow_reader after 200, next is 201',
      'cut off: slow_reader',
    ]);
    expect(reports).toEqual([]);
    expect(hub.topicCount).toBe(0);
  });

  it('is left alone as long as it keeps within the limit', async () => {
    const { follow, commit } = newHub();
    const { reader } = await follow(0);
    reader.pending = READER_LIMIT_BYTES;
    commit();
    expect(reader.told).toEqual(['1']);
  });
});

describe('a log that cannot be read', () => {
  it('is reported, and the reader is cut off where it was so that it comes back', async () => {
    const { log, hub, reports, follow } = newHub();
    log.append(250);
    const slow = new TestReader();
    slow.pending = READER_LIMIT_BYTES;
    const { subscription } = await follow(0, slow);
    log.failure = new Error('the disk is on fire');
    await slow.drain();
    expect(reports).toEqual([log.failure]);
    expect(slow.told.slice(200)).toEqual(['cut off: unavailable']);
    expect(subscription.position).toBe(200);
    expect(hub.topicCount).toBe(0);
  });

  it('leaves no feed behind when following fails', async () => {
    const { log, hub } = newHub();
    log.failure = new Error('the disk is on fire');
    await expect(hub.follow(new TestReader(), TOPIC, 0)).rejects.toBe(log.failure);
    expect(hub.topicCount).toBe(0);
  });
});
