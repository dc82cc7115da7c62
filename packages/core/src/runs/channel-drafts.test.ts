import { TERMINAL_RUN_STATUSES } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../kernel/entry.js';
import { ChannelDrafts } from './channel-drafts.js';

function open(publishesText = true) {
  const due: (() => void)[] = [];
  const sent: unknown[] = [];
  const drafts = new ChannelDrafts(
    {
      after: (_, callback) => (due.push(callback), () => void due.splice(due.indexOf(callback), 1)),
    },
    (topic, frame) => {
      expect(topic).toBe('channel:team');
      if (frame.type === 'draft') sent.push([frame.offset, frame.text]);
      else if (frame.type === 'draft_ended') sent.push(frame.messageId ?? 'over');
    },
  );
  const flush = (): void => {
    for (const callback of due.splice(0)) callback();
  };
  drafts.begin({
    runId: 'run_1',
    sessionId: 'ses_1',
    channelId: 'team',
    memberId: 'bee',
    displayName: 'Bee',
    threadRootMessageId: 'msg_1',
    replyToMessageId: 'msg_1',
    publishesText,
  });
  return { drafts, sent, flush };
}

const entry = (topic: string, type: string, data: object): LogEntry => ({
  topic,
  topicId: 1,
  seq: 1,
  at: 0,
  actor: 'session:ses_1',
  type,
  body: JSON.stringify(data),
});
const emitted = (text: string): LogEntry =>
  entry('session:ses_1', 'output_emitted', {
    runId: 'run_1',
    items: text === '' ? [] : [{ type: 'text', text }],
  });
const message = (part: object): LogEntry =>
  entry('session:ses_1', 'model_message', { runId: 'run_1', parts: [part] });
const wrote = (text: string): LogEntry => message({ type: 'text', text });
const called = (tool: string): LogEntry =>
  message({ type: 'tool_call', callId: 'call_1', tool, input: {} });
const ended = (type: string): LogEntry => entry('session:ses_1', type, { runId: 'run_1' });
const posted = (authorId: string): LogEntry =>
  entry('channel:team', 'message_posted', { messageId: 'msg_9', author: { id: authorId } });

/** Reports a commit as the module of runs does. */
function commit(drafts: ChannelDrafts, entries: readonly LogEntry[]): void {
  for (const { topic, type, body } of entries) {
    if (!topic.startsWith('session:')) continue;
    const data = JSON.parse(body) as { runId: string; items: []; parts: [] };
    if (type === 'output_emitted') drafts.emitted(data.runId, data.items);
    else if (type === 'model_message') drafts.messageEnded(data.runId, data.parts);
    else drafts.ended(data.runId, entries);
  }
}

describe('a draft in a channel', () => {
  it('C-68 is sent in coalesced pieces and whole to late subscribers, and becomes the message', () => {
    const { drafts, sent, flush } = open();
    for (const text of ['He', 'll', 'o']) drafts.showText('run_1', 0, text);
    expect(drafts.soFar('channel:team')).toEqual([]);
    flush();
    drafts.showText('run_1', 0, ', you');
    flush();
    expect(drafts.soFar('channel:team')).toMatchObject([
      { type: 'draft', displayName: 'Bee', offset: 0, text: 'Hello, you' },
    ]);
    expect(drafts.soFar('channel:other')).toEqual([]);
    commit(drafts, [ended('completed'), posted('session:ses_2'), posted('session:ses_1')]);
    expect(sent).toEqual([[0, 'Hello'], [5, ', you'], 'msg_9']);
    expect(drafts.soFar('channel:team')).toEqual([]);
    drafts.ended('run_1');
    expect(sent).toHaveLength(3);
  });

  it.each(TERMINAL_RUN_STATUSES)(
    'C-68 disappears when its run %s and nothing was published',
    (how) => {
      const { drafts, sent, flush } = open();
      drafts.showText('run_1', 0, 'hm');
      flush();
      drafts.showText('run_1', 0, ' never shown');
      commit(drafts, [ended(how)]);
      flush();
      expect(sent).toEqual([[0, 'hm'], 'over']);
    },
  );

  it('C-68 shows no text that people would have to approve before it is published', () => {
    const { drafts, sent, flush } = open(false);
    drafts.showText('run_1', 0, 'I think the owner is wrong');
    flush();
    expect(sent).toEqual([]);
    commit(drafts, [emitted('You may be right'), ended('completed'), posted('session:ses_1')]);
    flush();
    expect(sent).toEqual([]);
  });

  it('C-68 contains the text of the last step, or the output that was emitted instead', () => {
    const { drafts, sent, flush } = open();
    drafts.showText('run_1', 0, 'Let me look.');
    flush();
    drafts.showText('run_1', 1, 'Let it be.');
    flush();
    commit(drafts, [emitted('Done')]);
    flush();
    drafts.showText('run_1', 2, 'I asked them.');
    flush();
    expect(sent).toEqual([
      [0, 'Let me look.'],
      [4, 'it be.'],
      [0, 'Done'],
    ]);
    commit(drafts, [emitted('')]);
    flush();
    expect(sent.at(-1)).toEqual([0, '']);
    expect(drafts.soFar('channel:team')).toEqual([]);
  });

  it('DU-17 text before a call disappears when the call is made, and an emitted output stays', () => {
    const { drafts, sent, flush } = open();
    drafts.showText('run_1', 0, 'Let me look.');
    flush();
    commit(drafts, [wrote('Let me look.')]);
    flush();
    expect(sent).toEqual([[0, 'Let me look.']]);
    commit(drafts, [called('read_file')]);
    flush();
    expect(sent.at(-1)).toEqual([0, '']);
    commit(drafts, [emitted('Done'), called('read_file')]);
    flush();
    expect(sent.at(-1)).toEqual([0, 'Done']);
  });

  it('C-68 shows the output of a call while it is written, and withdraws it if the call is not made', () => {
    const { drafts, sent, flush } = open();
    drafts.showOutput('run_1', 'c1', 'It is');
    flush();
    drafts.showOutput('run_1', 'c1', ' so');
    commit(drafts, [emitted('It is so.')]);
    drafts.withdrawOutput('run_1');
    flush();
    drafts.showOutput('run_1', 'c2', 'No, wait');
    flush();
    drafts.withdrawOutput('run_1');
    flush();
    expect(sent).toEqual([
      [0, 'It is'],
      [5, ' so.'],
      [0, 'No, wait'],
      [0, 'It is so.'],
    ]);
  });

  it('starts again with each step, and does not exceed its limit', () => {
    const { drafts, sent, flush } = open();
    drafts.showText('run_1', 0, 'wrong');
    flush();
    drafts.withdrawText('run_1', 0);
    flush();
    for (let i = 0; i < 100; i++) drafts.showText('run_1', 0, 'x'.repeat(1_000));
    flush();
    expect(sent.slice(0, 2)).toEqual([
      [0, 'wrong'],
      [0, ''],
    ]);
    expect(sent).toHaveLength(3);
    expect((sent[2] as [number, string])[1]).toHaveLength(65_536);
  });
});
