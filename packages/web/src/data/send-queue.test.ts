import { StoaProblem } from '@stoa/client';
import type { Message, PostMessage } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { SendQueue } from './send-queue.js';

const AWAY = new StoaProblem('daemon_unreachable', 503, 'no daemon answers');
const REFUSED = new StoaProblem('channel_archived', 409, 'it is archived');

/** A daemon that answers on demand, and a shelf that outlives the page. */
class Fixture {
  readonly shelf = new Map<string, string>();
  readonly posted: string[] = [];
  private answers: ((problem?: StoaProblem) => void)[] = [];
  private keys = 0;
  now = 1_000;

  open(): SendQueue {
    return new SendQueue({
      client: {
        messages: {
          post: (_, post, options) =>
            new Promise<Message>((resolve, reject) => {
              const { text = '' } = post as PostMessage;
              this.posted.push(`${text} ${options?.idempotencyKey ?? ''}`);
              this.answers.push((problem) => {
                if (problem) reject(problem);
                else resolve({ messageId: `msg_${text}` } as Message);
              });
            }),
        },
      },
      shelf: {
        all: () => [...this.shelf.values()],
        put: (key, text) => void this.shelf.set(key, text),
        drop: (key) => void this.shelf.delete(key),
      },
      now: () => this.now++,
      newKey: () => `k${++this.keys}`,
    });
  }

  async answer(problem?: StoaProblem): Promise<void> {
    this.answers.shift()?.(problem);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const states = (sendQueue: SendQueue, conversation = 'lobby'): string[] =>
  sendQueue.of(conversation).map(({ post, state }) => `${post.text ?? ''} ${state}`);

describe('what is on its way', () => {
  it('is sent one after the other, and is gone when it is confirmed', async () => {
    const fixture = new Fixture();
    const sendQueue = fixture.open();
    const signals: unknown[] = [];
    sendQueue.listen('lobby', (signal) => signals.push(signal.type));
    sendQueue.post('lobby', { text: 'one' });
    sendQueue.post('lobby', { text: 'two' });
    sendQueue.post('garden', { text: 'elsewhere' });
    expect(fixture.posted).toEqual(['one k1', 'elsewhere k3']);
    await fixture.answer();
    expect(fixture.posted).toEqual(['one k1', 'elsewhere k3', 'two k2']);
    expect(states(sendQueue)).toEqual(['two sending']);
    expect(signals).toEqual(['changed', 'changed', 'changed', 'sent']);
    await fixture.answer();
    await fixture.answer();
    expect([...fixture.shelf]).toEqual([]);
  });

  it('waits in its order while nobody answers, in every channel, and is sent again under the same key', async () => {
    const fixture = new Fixture();
    const sendQueue = fixture.open();
    sendQueue.post('lobby', { text: 'one' });
    sendQueue.post('lobby', { text: 'two' });
    await fixture.answer(AWAY);
    expect(states(sendQueue)).toEqual(['one waiting', 'two waiting']);
    sendQueue.sendWaiting();
    await fixture.answer();
    await fixture.answer();
    expect(fixture.posted).toEqual(['one k1', 'one k1', 'two k2']);
    expect(states(sendQueue)).toEqual([]);
  });

  it('goes before what is written after it', async () => {
    const fixture = new Fixture();
    const sendQueue = fixture.open();
    sendQueue.post('lobby', { text: 'one' });
    await fixture.answer(AWAY);
    sendQueue.post('lobby', { text: 'two' });
    await fixture.answer();
    await fixture.answer();
    expect(fixture.posted.slice(1)).toEqual(['one k1', 'two k2']);
  });

  it('outlives the page, and is sent by the next one', () => {
    const fixture = new Fixture();
    const before = fixture.open();
    before.post('lobby', { text: 'one', threadRootMessageId: 'msg_0' });
    const after = fixture.open();
    expect(states(after)).toEqual([]);
    expect(states(after, 'lobby msg_0')).toEqual(['one waiting']);
    after.sendWaiting();
    expect(fixture.posted).toEqual(['one k1', 'one k1']);
  });

  it('is not sent automatically after half a day, and unreadable entries are skipped', () => {
    const fixture = new Fixture();
    fixture.open().post('lobby', { text: 'good morning' });
    fixture.shelf.set('x', '{');
    fixture.now += 13 * 3_600_000;
    const after = fixture.open();
    expect(after.of('lobby')).toMatchObject([
      { state: 'failed', reason: 'the daemon was offline for too long' },
    ]);
  });

  it('says why it was refused, each for itself, until it is tried again or discarded', async () => {
    const fixture = new Fixture();
    const sendQueue = fixture.open();
    sendQueue.post('lobby', { text: 'one' });
    sendQueue.post('lobby', { text: 'two' });
    await fixture.answer(REFUSED);
    await fixture.answer(REFUSED);
    sendQueue.retry('k1');
    expect(sendQueue.of('lobby')).toMatchObject([
      { state: 'sending' },
      { state: 'failed', reason: 'it is archived' },
    ]);
    sendQueue.discard('k2');
    await fixture.answer();
    expect(sendQueue.of('lobby')).toEqual([]);
    expect([...fixture.shelf]).toEqual([]);
  });

  it('is not shown beside the message that confirmed it, unless it failed after all', async () => {
    const fixture = new Fixture();
    const sendQueue = fixture.open();
    sendQueue.post('lobby', { text: 'one' });
    const [pending] = sendQueue.of('lobby');
    if (pending) sendQueue.hide(pending);
    expect(states(sendQueue)).toEqual([]);
    await fixture.answer(AWAY);
    expect(states(sendQueue)).toEqual(['one waiting']);
  });
});
