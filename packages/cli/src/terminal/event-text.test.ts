import type { Stamped, TurnDecision } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { eventText } from './event-text.js';
import { painter } from './paint.js';

const messageId = `msg_${'0'.repeat(26)}`;
const style = { paint: painter(false), now: 0, ids: false };

const decided = (known: Partial<TurnDecision>, outcome?: TurnDecision['turn']['outcome']) =>
  eventText(
    {
      topic: 'channel:team',
      seq: 1,
      at: 0,
      actor: 'system',
      type: 'turn_decided',
      data: {
        trigger: { type: 'time' },
        turn: {
          turnId: 'trn_1',
          threadRootMessageId: messageId,
          originMessageId: messageId,
          openedAt: 0,
          selected: [],
          isForPeople: false,
          called: [],
          served: [],
          replies: 0,
          startedRuns: 0,
          tokens: 0,
          ...(outcome && { outcome, closedAt: 0 }),
        },
        candidates: [],
        candidateCount: 0,
        granted: [],
        renewed: [],
        ended: [],
        ...known,
      },
    } satisfies Stamped,
    style,
  )?.replace(/^.* \* /, '');

describe('a decision in the live view', () => {
  it('C-20 names the reason why an agent did not answer, and the command with details', () => {
    const failed = { outcome: 'failed' as const, reason: 'acp_not_found' };
    const ended = [{ leaseId: 'lse_1', memberId: 'a', ...failed }];
    expect(decided({ ended }, 'silent')).toBe(
      `a failed: program not found; the turn is over: nobody answered; see: stoa why ${messageId}`,
    );
    const lease = { leaseId: 'lse_2', memberId: 'b', sessionId: 's', runId: 'r', deadline: 1 };
    expect(decided({ ended, granted: [lease] })).toBe(
      `a failed: program not found; b has the turn; see: stoa why ${messageId}`,
    );
  });

  it('says who has the turn and that it is over, and nothing where nothing changed', () => {
    expect(decided({}, 'reply_budget')).toBe('the turn is over: the reply limit was reached');
    expect(decided({ ended: [{ leaseId: 'lse_1', outcome: 'spoke' }] })).toBeUndefined();
  });
});
