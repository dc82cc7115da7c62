import { expect, it } from 'vitest';
import type { Draft } from './follow-item.js';
import { LiveDrafts } from './live-drafts.js';

const draft = (runId: string, offset: number, text: string): Draft => ({
  type: 'draft',
  topic: 'channel:team',
  runId,
  memberId: 'bee',
  displayName: 'Bee',
  threadRootMessageId: 'msg_1',
  replyToMessageId: 'msg_1',
  offset,
  text,
});

it('C-68 assembles each draft separately until it ends', () => {
  const drafts = new LiveDrafts();
  const texts = () => drafts.writing.map(({ runId, text }) => [runId, text]);
  drafts.take(draft('one', 0, 'Hel'));
  drafts.take(draft('two', 0, 'I'));
  drafts.take(draft('one', 3, 'lo'));
  expect(texts()).toEqual([
    ['one', 'Hello'],
    ['two', 'I'],
  ]);
  drafts.take(draft('one', 9, 'behind a hole'));
  drafts.take(draft('one', 4, ', no'));
  expect(texts()[0]).toEqual(['one', 'Hell, no']);
  drafts.take(draft('two', 0, ''));
  expect(texts()).toEqual([['one', 'Hell, no']]);
  drafts.take({ type: 'draft_ended', topic: 'channel:team', runId: 'one' });
  expect(drafts.writing).toEqual([]);
});
