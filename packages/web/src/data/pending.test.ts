import type { Message } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { confirmedBy, type Pending } from './pending.js';

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

describe('a message whose event arrives before its call is answered', () => {
  it('confirms the first pending one with the same text in the same conversation', () => {
    const all = [pending('a', 'no'), pending('b', 'yes'), pending('c', 'yes')];
    expect(confirmedBy(all, message('yes'))?.key).toBe('b');
    expect(confirmedBy(all, message('yes', 'msg_0'))).toBeUndefined();
    expect(confirmedBy(all, message('other'))).toBeUndefined();
  });

  it('confirms none that failed, since that one was never posted', () => {
    expect(confirmedBy([pending('a', 'yes', { state: 'failed' })], message('yes'))).toBeUndefined();
  });
});
