import type { BindingKind, Stamped, ThreadWork } from '@stoa/protocol';

type Change = Extract<Stamped, { type: 'thread_work_changed' }>['data'];

const VERDICTS = {
  approved: 'approved',
  changes_requested: 'sent back for changes',
  rejected: 'rejected',
} as const;

const BOUND: Readonly<Record<BindingKind, string>> = {
  schedule: 'A schedule',
  run: 'A run',
  sidechain_agent: 'An agent in another session',
  task: 'A task',
  observation: 'An external source',
};

/** What is new about the work of a thread; nothing where only a time was noted. */
export function workNews(before: ThreadWork | undefined, { work: now, cause }: Change): string[] {
  const news: string[] = [];
  if (before?.status !== now.status) {
    const from = before === undefined ? '' : ` (it was ${before.status})`;
    const by = cause === 'person' ? ', set by a person' : '';
    news.push(`The work is ${now.status}${from}${by}.`);
  }
  if (now.review && now.review.at !== before?.review?.at) {
    const note = now.review.note === undefined ? '' : `: ${now.review.note}`;
    news.push(`It was ${VERDICTS[now.review.verdict]}${note}.`);
  }
  if (before && now.ownerSessionId !== before.ownerSessionId) {
    news.push(now.ownerSessionId === undefined ? 'It has no owner now.' : 'It has a new owner.');
  }
  for (const { bindingKind, bindingRef } of now.bindings) {
    const isKnown = before?.bindings.some((each) => each.bindingRef === bindingRef) === true;
    if (!isKnown) news.push(`${BOUND[bindingKind]} reports here now.`);
  }
  for (const { progressKey, summaryDigest, latestMessageId } of now.progressSnapshots) {
    const known = before?.progressSnapshots.find((each) => each.progressKey === progressKey);
    if (known?.latestMessageId !== latestMessageId) news.push(`Progress: ${summaryDigest}`);
  }
  return news;
}
