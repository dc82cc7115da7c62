import type { Message, Stamped } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { changedBy, merged, messageOf, replaced } from './message-list.js';

const posted = (seq: number, threadRootMessageId?: string) =>
  ({
    type: 'message_posted',
    topic: 'channel:lobby',
    seq,
    at: seq,
    actor: 'human:ada',
    data: {
      messageId: `msg_${seq}`,
      ...(threadRootMessageId === undefined ? {} : { threadRootMessageId }),
      author: { kind: 'human', id: 'human:ada', displayName: 'Ada' },
      addressedMemberIds: [],
      inputItems: [{ type: 'text', text: `text ${seq}` }],
      metadata: {},
    },
  }) satisfies Stamped;

const message = (seq: number): Message => messageOf(posted(seq), 'lobby');
const seqs = (list: readonly Message[]): number[] => list.map(({ seq }) => seq);

describe('a list of messages', () => {
  it('has each message once and in the order of the log, however they come', () => {
    const list = merged(merged([], [message(4), message(6)]), [message(7)]);
    expect(seqs(list)).toEqual([4, 6, 7]);
    expect(seqs(merged(list, [message(1), message(3), message(4)]))).toEqual([1, 3, 4, 6, 7]);
    expect(seqs(merged(list, [message(7), message(5)]))).toEqual([4, 5, 6, 7]);
  });

  it('takes what is newly known of a message it holds, and nothing of another', () => {
    const list = [message(4), message(6), message(9)];
    const edited = { ...message(6), editedAt: 10 };
    expect(replaced(list, edited)).toEqual([message(4), edited, message(9)]);
    expect(replaced(list, message(5))).toBe(list);
    expect(replaced([], message(5))).toEqual([]);
  });

  it('knows which messages an event has changed', () => {
    const { data: _, ...stamp } = posted(9);
    expect(changedBy(posted(9))).toEqual([]);
    expect(changedBy(posted(9, 'msg_1'))).toEqual(['msg_1']);
    expect(changedBy({ ...stamp, type: 'message_deleted', data: { messageId: 'msg_2' } })).toEqual([
      'msg_2',
    ]);
    expect(changedBy({ ...stamp, type: 'channel_archived', data: {} })).toEqual([]);
  });
});
