import { StoaProblem } from '@stoa/client';
import type { Message, PostMessage } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { Outbox } from './outbox.js';

const AWAY = new StoaProblem('daemon_unreachable', 503, 'no daemon answers');
const REFUSED = new StoaProblem('channel_archived', 409, 'it is archived');

/** A daemon that answers when it is told to, and a shelf that outlives the page. */
class Scene {
  readonly shelf = new Map<string, string>();
  readonly posted: string[] = [];
  private answers: ((problem?: StoaProblem) => void)[] = [];
  private keys = 0;
  now = 1_000;

  open(): Outbox {
    return new Outbox({
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

const states = (outbox: Outbox, place = 'lobby'): string[] =>
  outbox.of(place).map(({ post, state }) => `${post.text ?? ''} ${state}`);

describe('what is on its way', () => {
  it('is sent one after the other, and is gone when it is confirmed', async () => {
    const scene = new Scene();
    const outbox = scene.open();
    const heard: unknown[] = [];
    outbox.listen('lobby', (signal) => heard.push(signal.type));
    outbox.post('lobby', { text: 'one' });
    outbox.post('lobby', { text: 'two' });
    outbox.post('garden', { text: 'elsewhere' });
    expect(scene.posted).toEqual(['one k1', 'elsewhere k3']);
    await scene.answer();
    expect(scene.posted).toEqual(['one k1', 'elsewhere k3', 'two k2']);
    expect(states(outbox)).toEqual(['two sending']);
    expect(heard).toEqual(['changed', 'changed', 'changed', 'sent']);
    await scene.answer();
    await scene.answer();
    expect([...scene.shelf]).toEqual([]);
  });

  it('waits in its order while nobody answers, in every channel, and is sent again under the same key', async () => {
    const scene = new Scene();
    const outbox = scene.open();
    outbox.post('lobby', { text: 'one' });
    outbox.post('lobby', { text: 'two' });
    await scene.answer(AWAY);
    expect(states(outbox)).toEqual(['one waiting', 'two waiting']);
    outbox.sendWaiting();
    await scene.answer();
    await scene.answer();
    expect(scene.posted).toEqual(['one k1', 'one k1', 'two k2']);
    expect(states(outbox)).toEqual([]);
  });

  it('goes before what is written after it', async () => {
    const scene = new Scene();
    const outbox = scene.open();
    outbox.post('lobby', { text: 'one' });
    await scene.answer(AWAY);
    outbox.post('lobby', { text: 'two' });
    await scene.answer();
    await scene.answer();
    expect(scene.posted.slice(1)).toEqual(['one k1', 'two k2']);
  });

  it('outlives the page, and is sent by the next one', () => {
    const scene = new Scene();
    const before = scene.open();
    before.post('lobby', { text: 'one', threadRootMessageId: 'msg_0' });
    const after = scene.open();
    expect(states(after)).toEqual([]);
    expect(states(after, 'lobby msg_0')).toEqual(['one waiting']);
    after.sendWaiting();
    expect(scene.posted).toEqual(['one k1', 'one k1']);
  });

  it('is not said by itself when half a day has gone by, and what cannot be read is left out', () => {
    const scene = new Scene();
    scene.open().post('lobby', { text: 'good morning' });
    scene.shelf.set('x', '{');
    scene.now += 13 * 3_600_000;
    const after = scene.open();
    expect(after.of('lobby')).toMatchObject([
      { state: 'failed', reason: 'the daemon was away for too long' },
    ]);
  });

  it('says why it was refused, each for itself, until it is tried again or discarded', async () => {
    const scene = new Scene();
    const outbox = scene.open();
    outbox.post('lobby', { text: 'one' });
    outbox.post('lobby', { text: 'two' });
    await scene.answer(REFUSED);
    await scene.answer(REFUSED);
    outbox.retry('k1');
    expect(outbox.of('lobby')).toMatchObject([
      { state: 'sending' },
      { state: 'failed', reason: 'it is archived' },
    ]);
    outbox.discard('k2');
    await scene.answer();
    expect(outbox.of('lobby')).toEqual([]);
    expect([...scene.shelf]).toEqual([]);
  });

  it('is not shown beside the message that was heard of, unless it failed all the same', async () => {
    const scene = new Scene();
    const outbox = scene.open();
    outbox.post('lobby', { text: 'one' });
    const [pending] = outbox.of('lobby');
    if (pending) outbox.hide(pending);
    expect(states(outbox)).toEqual([]);
    await scene.answer(AWAY);
    expect(states(outbox)).toEqual(['one waiting']);
  });
});
