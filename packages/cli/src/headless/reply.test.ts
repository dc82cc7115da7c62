import { AnswerApproval, type Approval } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { readReply, replyPrompt } from './reply.js';

const approval: Approval = {
  approvalId: 'apr_1',
  kind: 'tool',
  sessionId: 'ses_1',
  runId: 'run_1',
  callId: 'c',
  tool: 'shell',
  title: 'Run npm test',
  input: { command: 'npm test' },
  inputHash: 'hash',
  reason: 'mode ask',
  suggestedRule: 'Shell(npm test)',
  state: 'pending',
  createdAt: 0,
  expiresAt: 1,
};
const { suggestedRule: _, ...withoutRule } = approval;
const question: Approval = {
  ...withoutRule,
  kind: 'question',
  tool: 'ask_user',
  options: [{ label: 'Blue' }, { label: 'Green' }],
};

const typed = (line: string, about = approval): unknown => {
  const reply = readReply(about, line);
  // What is sent must be what the contract takes.
  if (reply.type === 'answer') AnswerApproval.parse(reply.answer);
  return reply.type === 'answer' ? reply.answer : reply.type;
};

describe('what is typed at an approval', () => {
  it.each([
    ['y', { decision: 'allow', scope: 'once', inputHash: 'hash' }],
    [' YES ', { decision: 'allow', scope: 'once', inputHash: 'hash' }],
    ['a', { decision: 'allow', scope: 'session', inputHash: 'hash' }],
    ['always', { decision: 'allow', scope: 'session', inputHash: 'hash' }],
    ['always workspace', { decision: 'allow', scope: 'workspace', inputHash: 'hash' }],
    ['w', { decision: 'allow', scope: 'workspace', inputHash: 'hash' }],
    ['n', { decision: 'deny', scope: 'once' }],
    ['no use pnpm instead', { decision: 'deny', scope: 'once', message: 'use pnpm instead' }],
    ['e', 'edit'],
  ])('%j is read', (line, expected) => {
    expect(typed(line)).toEqual(expected);
  });

  it.each(['', 'maybe', 'y but carefully', 'edit this', 'always nowhere'])(
    '%j decides nothing',
    (line) => {
      expect(typed(line)).toBe('again');
    },
  );

  it('offers "always" only where a rule would say what that means', () => {
    expect(replyPrompt(approval)).toContain('[a]lways');
    expect(replyPrompt(withoutRule)).not.toContain('[a]lways');
    expect(typed('a', withoutRule)).toBe('again');
  });
});

describe('what is typed at a question', () => {
  it('is an answer in own words, or the number of an option', () => {
    expect(typed('2', question)).toEqual({ decision: 'answer', answer: 'Green' });
    expect(typed('7', question)).toEqual({ decision: 'answer', answer: '7' });
    expect(typed(' y ', question)).toEqual({ decision: 'answer', answer: 'y' });
    expect(typed('  ', question)).toBe('again');
    expect(replyPrompt(question)).toContain('number');
  });
});
