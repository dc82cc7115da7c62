import { setImmediate as macrotask } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from './entry.js';
import { Hub } from './hub.js';
import type { TopicSlice } from './read-topic.js';
import { READER_LIMIT_BYTES, type Reader } from './reader.js';

const TOPIC = 'channel:lobby';

/** A log in memory. A step lets each waiting read happen; the next step lets it resolve. */
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

  /** Advances everything that waits by one step. */
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

/** Records what it receives. The test sets its pending bytes. */
class TestReader implements Reader {
  readonly received: string[] = [];
  pending = 0;
  #room: (() => void) | undefined;
  #stall: ((error: Error) => void) | undefined;

  event({ seq }: LogEntry): void {
    this.received.push(String(seq));
  }
  chunk(): void {}

  gap(_: string, after: number, oldest: number, reason: string): void {
    this.received.push(`${reason} after ${String(after)}, next is ${String(oldest)}`);
  }
  cutOff(reason: string): void {
    this.received.push(`cut off: ${reason}`);
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
  it('F-25 delivers exactly the missed events, in order, and then new ones', async () => {
    const { log, follow, commit } = newHub();
    log.append(5);
    const { reader } = await follow(2);
    commit();
    commit(2);
    expect(reader.received).toEqual(['3', '4', '5', '6', '7', '8']);
  });

  it('starts from now without a position', async () => {
    const { log, follow, commit } = newHub();
    log.append(5);
    const { reader, subscription } = await follow();
    expect(subscription.position).toBe(5);
    commit();
    expect(reader.received).toEqual(['6']);
  });

  it('returns undefined for a topic that does not exist, and keeps no feed for it', async () => {
    const { hub } = newHub();
    expect(await hub.follow(new TestReader(), 'channel:nowhere', 0)).toBeUndefined();
    expect(hub.topicCount).toBe(0);
  });

  it('F-25 delivers more than one page of missed events, each once', async () => {
    const { log, follow } = newHub();
    log.append(950);
    const { reader } = await follow(0);
    expect(reader.received).toEqual(log.events.map(({ seq }) => String(seq)));
  });

  it('F-26 reports a gap for trimmed events before it delivers the rest', async () => {
    const { log, follow, commit } = newHub();
    log.append(9);
    log.floor = 6;
    const { reader } = await follow(2);
    commit();
    expect(reader.received).toEqual(['trimmed after 2, next is 7', '7', '8', '9', '10']);
  });

  it('reports a gap to a reader that is ahead of the log, as after a restored backup', async () => {
    const { log, follow, commit } = newHub();
    log.append(3);
    const { reader } = await follow(7);
    commit();
    expect(reader.received).toEqual(['ahead after 7, next is 4', '4']);
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
    expect([...first.reader.received, ...second.reader.received]).toEqual([]);
  });
});

describe('a commit while a reader begins to follow', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'F-25 is delivered once, after %i steps of its first reads',
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
      expect(reader.received).toEqual(['2', '3', '4', '5']);
    },
  );

  it('is delivered once when the feed exists already', async () => {
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
    expect(reader.received).toEqual(['1', '2', '3', '4']);
    expect(first.reader.received).toEqual(['3', '4']);
  });
});

describe('an event of another daemon', () => {
  it('is read from the log after a hint, and delivered once for any number of hints', async () => {
    const { log, hub, follow } = newHub();
    const { reader } = await follow(0);
    log.append(3);
    hub.hint(TOPIC);
    hub.hint(TOPIC);
    hub.hint(undefined);
    await macrotask();
    expect(reader.received).toEqual(['1', '2', '3']);
  });

  it('is delivered before later commits of this daemon, also without a hint', async () => {
    const { log, follow, commit } = newHub();
    const { reader } = await follow(0);
    log.append(2);
    commit();
    await macrotask();
    expect(reader.received).toEqual(['1', '2', '3']);
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
    expect(reader.received).toEqual(['1', '2']);
  });

  it('F-26 is reported as a gap when it was trimmed before it was read', async () => {
    const { log, hub, follow } = newHub();
    log.append(2);
    const { reader } = await follow(2);
    log.append(4);
    log.floor = 5;
    hub.hint(TOPIC);
    await macrotask();
    expect(reader.received).toEqual(['trimmed after 2, next is 6', '6']);
  });
});

describe('a reader that does not keep up', () => {
  it('F-27 receives a gap and is cut off, and can resume from its position', async () => {
    const { follow, commit } = newHub();
    const slow = await follow(0);
    const fast = await follow(0);
    commit(2);
    slow.reader.pending = READER_LIMIT_BYTES + 1;
    commit(2);
    expect(slow.reader.received).toEqual([
      '1',
      '2',
      'slow_reader after 2, next is 3',
      'cut off: slow_reader',
    ]);
    expect(fast.reader.received).toEqual(['1', '2', '3', '4']);
    const resumed = await follow(slow.subscription.position);
    expect(resumed.reader.received).toEqual(['3', '4']);
  });

  it('F-27 catches up at its own pace, and delays nobody else', async () => {
    const { log, follow, commit } = newHub();
    log.append(250);
    const slow = new TestReader();
    slow.pending = READER_LIMIT_BYTES;
    await follow(0, slow);
    const other = await follow(250);
    commit();
    expect(other.reader.received).toEqual(['251']);
    expect(slow.received).toHaveLength(200);
    await slow.drain();
    expect(slow.received).toEqual(log.events.map(({ seq }) => String(seq)));
  });

  it('F-27 is cut off as too slow when it stops reading while it catches up', async () => {
    const { log, hub, reports, follow } = newHub();
    log.append(250);
    const slow = new TestReader();
    slow.pending = READER_LIMIT_BYTES;
    await follow(0, slow);
    await slow.stall();
    expect(slow.received.slice(200)).toEqual([
      'slow_reader after 200, next is 201',
      'cut off: slow_reader',
    ]);
    expect(reports).toEqual([]);
    expect(hub.topicCount).toBe(0);
  });

  it('stays connected while it keeps within the limit', async () => {
    const { follow, commit } = newHub();
    const { reader } = await follow(0);
    reader.pending = READER_LIMIT_BYTES;
    commit();
    expect(reader.received).toEqual(['1']);
  });
});

describe('a log that cannot be read', () => {
  it('is reported, and the reader is cut off so that it can resume', async () => {
    const { log, hub, reports, follow } = newHub();
    log.append(250);
    const slow = new TestReader();
    slow.pending = READER_LIMIT_BYTES;
    const { subscription } = await follow(0, slow);
    log.failure = new Error('the disk is on fire');
    await slow.drain();
    expect(reports).toEqual([log.failure]);
    expect(slow.received.slice(200)).toEqual(['cut off: unavailable']);
    expect(subscription.position).toBe(200);
    expect(hub.topicCount).toBe(0);
  });

  it('keeps no feed when following fails', async () => {
    const { log, hub } = newHub();
    log.failure = new Error('the disk is on fire');
    await expect(hub.follow(new TestReader(), TOPIC, 0)).rejects.toBe(log.failure);
    expect(hub.topicCount).toBe(0);
  });
});
