import type { Client, FollowItem } from '@stoa/client';
import { describe, expect, it } from 'vitest';
import type { LiveListener } from './live-hub.js';
import { ofThread } from './of-thread.js';

const posted = (messageId: string, threadRootMessageId?: string): FollowItem =>
  ({ type: 'message_posted', seq: 1, data: { messageId, threadRootMessageId } }) as FollowItem;
const edited = { type: 'message_edited', seq: 2, data: { messageId: 'msg_9' } } as FollowItem;
const draft = (threadRootMessageId: string): FollowItem =>
  ({ type: 'draft', topic: 'channel:c', threadRootMessageId }) as FollowItem;

describe('a thread', () => {
  it('is read by its root', async () => {
    const asked: unknown[] = [];
    const client = {
      messages: {
        list: (...call: unknown[]) => {
          asked.push(call);
          return Promise.resolve({ messages: [], hasMore: false });
        },
      },
    } as unknown as Client;
    const source = ofThread({ client, live: { listen: () => () => undefined } }, 'msg_1');
    await source.client.messages.list('c', { limit: 5 });
    expect(asked).toEqual([['c', { limit: 5, threadRootMessageId: 'msg_1' }, undefined]]);
  });

  it('receives its messages and drafts, all changes, and no messages of other threads', () => {
    let tell: LiveListener = () => undefined;
    const listen = (_: string, listener: LiveListener) => {
      tell = listener;
      return () => undefined;
    };
    const received: unknown[] = [];
    const { live } = ofThread({ client: { messages: {} } as Client, live: { listen } }, 'msg_1');
    live.listen('channel:c', (signal) =>
      received.push(signal.type === 'item' ? signal.item : signal.type),
    );
    const mine = [posted('msg_2', 'msg_1'), draft('msg_1'), edited];
    for (const item of [...mine, posted('msg_3'), posted('msg_4', 'msg_8'), draft('msg_8')]) {
      tell({ type: 'item', item });
    }
    tell({ type: 'gap' });
    expect(received).toEqual([...mine, 'gap']);
  });
});
