import { StoaProblem } from '@stoa/client';
import type { ReviewVerdict, ThreadWork, UpdateThreadWork, WorkStatus } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { details } from '../terminal/details.js';
import { relativeTime } from '../terminal/times.js';

export interface ListWorkOptions extends GlobalFlags {
  readonly open?: boolean;
  readonly before?: string;
  readonly limit: number;
}

export interface UpdateWorkOptions extends GlobalFlags {
  readonly status?: WorkStatus;
  readonly reopen?: boolean;
  readonly verdict?: ReviewVerdict;
  readonly note?: string;
  readonly supersededBy?: string;
  readonly owner?: string;
}

export async function listWork(
  context: Context,
  [channelId = '']: readonly string[],
  { open = false, before, limit }: ListWorkOptions,
): Promise<void> {
  const query = { state: open ? ('open' as const) : ('all' as const), before, limit };
  const page = await context.client.stimuli.work(channelId, query);
  if (context.flags.json) context.json(page);
  else if (page.work.length === 0) context.say('no thread work');
  else context.line(workTable(context, page.work));
}

function workTable(context: Context, work: readonly ThreadWork[]): string {
  const now = context.io.now();
  return context.table(
    [
      { title: 'THREAD' },
      { title: 'STATUS' },
      { title: 'TOPIC' },
      { title: 'LAST' },
      { title: 'NEWS' },
      { title: 'BOUND', align: 'right' },
      { title: 'OWNER' },
    ],
    work.map((each) => [
      each.threadRootMessageId,
      each.status,
      each.topicKind,
      each.lastStimulusKind ?? '',
      relativeTime(each.lastSignalAt, now),
      String(each.bindings.length),
      each.ownerSessionId ?? '',
    ]),
  );
}

export async function showWork(
  context: Context,
  [channelId = '', threadRootMessageId = '']: readonly string[],
): Promise<void> {
  const { work } = await context.client.stimuli.work(channelId, { threadRootMessageId });
  const [one] = work;
  if (!one) {
    const detail = `There is no thread work in ${threadRootMessageId}`;
    throw new StoaProblem('work_not_found', 404, detail);
  }
  context.answer(one, () => workText(context, one));
}

export async function updateWork(
  context: Context,
  [channelId = '', rootMessageId = '']: readonly string[],
  options: UpdateWorkOptions,
): Promise<void> {
  const { status, reopen, verdict, note, supersededBy, owner } = options;
  if (note !== undefined && verdict === undefined) {
    throw new UsageError('--note requires --verdict', 'add --verdict');
  }
  const change: UpdateThreadWork = {
    ...(status === undefined ? {} : { status }),
    ...(reopen === undefined ? {} : { reopen }),
    ...(verdict === undefined
      ? {}
      : { review: { verdict, ...(note === undefined ? {} : { note }) } }),
    ...(supersededBy === undefined ? {} : { supersededByMessageId: supersededBy }),
    ...(owner === undefined ? {} : { ownerSessionId: owner === '' ? null : owner }),
  };
  if (Object.keys(change).length === 0) {
    throw new UsageError(
      'there is nothing to change',
      'give --status, --verdict, --superseded-by or --owner',
    );
  }
  const work = await context.client.stimuli.updateWork(channelId, rootMessageId, change);
  context.answer(work, () => workText(context, work));
}

function workText({ paint, io }: Context, work: ThreadWork): string {
  const { review, bindings, progressSnapshots } = work;
  return details(paint, { title: work.status, id: work.threadRootMessageId }, [
    ['topic', work.topicKind],
    ['owner', work.ownerSessionId],
    ['initiative', work.initiativeKey],
    ['last', work.lastStimulusKind],
    ['news', relativeTime(work.lastSignalAt, io.now())],
    [
      'review',
      review && `${review.verdict} by ${review.by}${review.note ? `: ${review.note}` : ''}`,
    ],
    ['superseded by', work.supersededByMessageId],
    ['bound', bindings.map((each) => `${each.bindingKind} ${each.bindingRef}`).join('\n')],
    [
      'progress',
      progressSnapshots.map((each) => `${each.progressKey}: ${each.latestMessageId}`).join('\n'),
    ],
  ]);
}
