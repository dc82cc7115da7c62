import type { Message } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import type { ChannelView } from '../data/channel-view.js';
import { rowsOf } from './rows.js';

const DAY = 24 * 3_600_000;

const message = (seq: number, change: Partial<Message> = {}): Message => ({
  messageId: `msg_${seq}`,
  channelId: 'lobby',
  seq,
  author: { kind: 'human', id: 'human:ada', displayName: 'Ada' },
  addressedMemberIds: [],
  inputItems: [{ type: 'text', text: `text ${seq}` }],
  createdAt: 1_000 * seq,
  replyCount: 0,
  reactions: [],
  metadata: {},
  ...change,
});

const view = (messages: readonly Message[], change: Partial<ChannelView> = {}): ChannelView => ({
  status: 'ready',
  problem: undefined,
  messages,
  hasOlder: true,
  hasNewer: false,
  loading: undefined,
  pending: [],
  writing: [],
  ...change,
});

const shown = (of: ChannelView, from?: number, to = Number.POSITIVE_INFINITY): string[] =>
  rowsOf(of, {
    me: 'human:me',
    missed: from === undefined ? undefined : { from, to },
    isSameDay: (a, b) => Math.floor(a / DAY) === Math.floor(b / DAY),
  }).map((row) => {
    if (row.kind !== 'message') return row.kind;
    const marks = [row.isContinued && 'continued', row.quotesRoot && 'quoting'];
    return [row.message.seq, ...marks.filter((mark) => mark !== false)].join(' ');
  });

describe('the rows of a feed', () => {
  it('begin with a day, and with the beginning where nothing is older', () => {
    expect(shown(view([message(1)]))).toEqual(['day', '1']);
    expect(shown(view([message(1)], { hasOlder: false }))).toEqual(['beginning', 'day', '1']);
  });

  it('say the day again when it changes, and then the author too', () => {
    expect(shown(view([message(1), message(2), message(3, { createdAt: DAY + 1 })]))).toEqual([
      'day',
      '1',
      '2 continued',
      'day',
      '3',
    ]);
  });

  it('omit the author while the same author continues in the same thread', () => {
    const thread = { threadRootMessageId: 'msg_1' };
    const messages = [message(1), message(2, thread), message(3, thread), message(900, thread)];
    expect(shown(view(messages))).toEqual(['day', '1', '2', '3 continued', '900']);
  });

  it('quote the root of a reply unless its thread is right before it', () => {
    const messages = [
      message(1),
      message(2),
      message(3, { threadRootMessageId: 'msg_1' }),
      message(4, { threadRootMessageId: 'msg_1' }),
    ];
    expect(shown(view(messages))).toEqual(['day', '1', '2 continued', '3 quoting', '4 continued']);
  });

  it('mark the first message of others that was not read, once', () => {
    const messages = [
      message(1),
      message(2, { author: { kind: 'human', id: 'human:me', displayName: 'Me' } }),
      message(3),
      message(4),
    ];
    expect(shown(view(messages), 1)).toEqual(['day', '1', '2', 'unread', '3', '4 continued']);
    expect(shown(view(messages), 4)).not.toContain('unread');
    expect(shown(view(messages), 0)).not.toContain('unread');
    expect(shown(view(messages))).not.toContain('unread');
  });

  it('mark nothing that was seen as it came, and nothing any more when the reader writes', () => {
    const mine = { author: { kind: 'human', id: 'human:me', displayName: 'Me' } } as const;
    const messages = [message(1), message(2), message(3, mine), message(4)];
    expect(shown(view(messages.slice(0, 2)), 1, 2)).toContain('unread');
    expect(shown(view(messages.slice(0, 2)), 1, 1)).not.toContain('unread');
    const pending = [
      { key: 'k', channelId: 'lobby', post: { text: 'x' }, at: 1, state: 'sending' } as const,
    ];
    expect(shown(view(messages.slice(0, 2), { pending }), 1, 2)).not.toContain('unread');
    expect(shown(view(messages), 1, 2)).not.toContain('unread');
  });

  it('leave out a marker that a newer one has replaced', () => {
    const messages = [message(1, { supersededByMessageId: 'msg_2' }), message(2)];
    expect(shown(view(messages))).toEqual(['day', '2']);
  });

  it('end with what is on its way and what is being written', () => {
    const of = view([message(1)], {
      pending: [{ key: 'k', channelId: 'lobby', post: { text: 'x' }, at: 1, state: 'sending' }],
      writing: [
        {
          runId: 'run_1',
          memberId: 'host',
          displayName: 'Host',
          threadRootMessageId: 'msg_1',
          replyToMessageId: 'msg_1',
          text: 'H',
        },
      ],
    });
    expect(shown(of)).toEqual(['day', '1', 'pending', 'draft']);
  });
});
