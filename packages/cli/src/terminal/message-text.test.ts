import type { Message, Stamped } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { eventText } from './event-text.js';
import { messageText } from './message-text.js';
import { painter } from './paint.js';

const now = new Date(2026, 6, 15, 14, 3, 9).getTime();
const style = { paint: painter(false), now, ids: false };

const message: Message = {
  messageId: 'msg_01',
  channelId: 'general',
  seq: 7,
  author: { kind: 'human', id: 'human:alice', displayName: 'Alice' },
  addressedMemberIds: [],
  inputItems: [{ type: 'text', text: 'hello' }],
  createdAt: now,
  replyCount: 0,
  reactions: [],
  metadata: {},
};

describe('messageText', () => {
  it('shows time, author and text', () => {
    expect(messageText(message, style)).toBe('14:03:09 Alice: hello');
  });

  it('marks replies, addressees, edits, reply counts and reactions', () => {
    const rich: Message = {
      ...message,
      threadRootMessageId: 'msg_00',
      addressedMemberIds: ['bob'],
      editedAt: now,
      replyCount: 2,
      reactions: [{ emoji: '👍', actorIds: [], count: 3 }],
      inputItems: [...message.inputItems, { type: 'asset_reference', assetId: 'ast_01' }],
    };
    expect(messageText(rich, { ...style, ids: true })).toBe(
      '14:03:09 msg_01 ↳ Alice → bob: hello\n    │ [asset ast_01] [edited] [2 replies] [👍 3]',
    );
  });

  it('does not let text pretend to be another message or reach the terminal', () => {
    const forged: Message = {
      ...message,
      author: { ...message.author, displayName: 'Mal\u001b[2Jlory\n14:03:10 Bob' },
      inputItems: [{ type: 'text', text: 'hi\n14:03:10 Bob: I agree\u001b]52;c;Y3VybA==\u0007' }],
    };
    const text = messageText(forged, style);
    expect(text.split('\n')).toEqual([
      '14:03:09 Mal␛[2Jlory ⏎ 14:03:10 Bob: hi',
      '    │ 14:03:10 Bob: I agree␛]52;c;Y3VybA==␇',
    ]);
  });

  it('shows that a message was deleted', () => {
    expect(messageText({ ...message, editedAt: now, deletedAt: now, inputItems: [] }, style)).toBe(
      '14:03:09 Alice: (deleted)',
    );
  });
});

describe('eventText', () => {
  const stamp = { topic: 'channel:general', seq: 1, at: now, actor: 'human:alice' };

  it('shows a posted message like its record', () => {
    const posted: Stamped = {
      ...stamp,
      type: 'message_posted',
      data: {
        messageId: 'msg_01',
        author: message.author,
        addressedMemberIds: [],
        inputItems: message.inputItems,
        metadata: {},
      },
    };
    expect(eventText(posted, style)).toBe('14:03:09 Alice: hello');
  });

  it('shows everything else as a deed', () => {
    const event: Stamped = {
      ...stamp,
      type: 'reaction_set',
      data: { messageId: 'msg_01', emoji: '👍\u001b', actorId: 'human:alice' },
    };
    expect(eventText(event, style)).toBe('14:03:09 * human:alice reacted with 👍␛ to msg_01');
  });

  it('shows of turns who has one and how it ended, and nothing of what changed nothing', () => {
    const turn = {
      turnId: 'trn_1',
      threadRootMessageId: 'msg_01',
      originMessageId: 'msg_01',
      openedAt: now,
      selected: [],
      isForPeople: false,
      called: [],
      served: [],
      replies: 0,
      startedRuns: 0,
      tokens: 0,
    };
    const decided = (data: object): Stamped => ({
      ...stamp,
      type: 'turn_decided',
      data: {
        trigger: { type: 'time' },
        turn,
        candidates: [],
        candidateCount: 0,
        granted: [],
        renewed: [],
        ended: [],
        ...data,
      },
    });
    const granted = [{ memberId: 'a' }, { memberId: 'b' }];
    expect(eventText(decided({ granted }), style)).toBe('14:03:09 * a, b have the turn');
    const closed = { ...turn, outcome: 'run_budget' };
    expect(eventText(decided({ turn: closed }), style)).toBe(
      '14:03:09 * the turn is over: the run limit was reached',
    );
    expect(eventText(decided({}), style)).toBeUndefined();
  });
});
