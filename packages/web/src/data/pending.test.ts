import type { Message } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { heardOf, type Pending } from './pending.js';

const pending = (key: string, text: string, change: Partial<Pending> = {}): Pending => ({
  key,
  channelId: 'lobby',
  post: { text },
  at: 1,
  state: 'sending',
  ...change,
});

const message = (text: string, threadRootMessageId?: string): Message => ({
  messageId: 'msg_1',
  channelId: 'lobby',
  seq: 1,
  author: { kind: 'human', id: 'human:ada', displayName: 'Ada' },
  addressedMemberIds: [],
  inputItems: [{ type: 'text', text }],
  createdAt: 1,
  replyCount: 0,
  reactions: [],
  metadata: {},
  ...(threadRootMessageId === undefined ? {} : { threadRootMessageId }),
});

describe('a message that is heard of before its call is answered', () => {
  it('is the first on its way that says the same in the same place', () => {
    const all = [pending('a', 'no'), pending('b', 'yes'), pending('c', 'yes')];
    expect(heardOf(all, message('yes'))?.key).toBe('b');
    expect(heardOf(all, message('yes', 'msg_0'))).toBeUndefined();
    expect(heardOf(all, message('other'))).toBeUndefined();
  });

  it('is none that failed: that one was never said', () => {
    expect(heardOf([pending('a', 'yes', { state: 'failed' })], message('yes'))).toBeUndefined();
  });
});
