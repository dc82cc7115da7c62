import { findRun, findSchedule, lockChannel, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { textOf } from '../kernel/item-text.js';
import type { NewEvent } from '../kernel/log.js';
import type { RunEnd } from '../runs/run-end.js';
import { reportInThread } from '../stimuli/add-stimulus.js';
import type { StimulusContext } from '../stimuli/context.js';
import { outputOf } from '../turns/publication.js';
import { withBinding } from '../work/changes.js';
import { workChanged, workIn } from '../work/read-work.js';
import { unbound } from '../work/unbound.js';

/** The thread that a schedule made inside a channel run belongs to. */
export interface ScheduleThread {
  readonly scheduleId: string;
  readonly sessionId: string;
  readonly title: string;
  readonly channelId: string;
  readonly threadRootMessageId: string;
}

/** Binds a schedule to its thread, in the commit that makes it. */
export function* scheduleBound(thread: ScheduleThread, at: number): Tx<NewEvent[]> {
  const channel = yield* channelOf(thread);
  const work = channel && (yield* workIn(channel, thread.threadRootMessageId, at));
  if (!work) return [];
  const { scheduleId: bindingRef } = thread;
  const bound = withBinding(work, { bindingKind: 'schedule', bindingRef, boundAt: at });
  return [workChanged('binding', bound)];
}

/** A schedule that has ended is bound to no thread. The channel is locked already. */
export function* scheduleUnbound(thread: ScheduleThread): Tx<NewEvent[]> {
  const channel = yield* channelOf(thread);
  if (!channel) return [];
  const { scheduleId, threadRootMessageId } = thread;
  return yield* unbound(channel.topicId, threadRootMessageId, 'schedule', scheduleId);
}

/**
 * Tells the thread that the work has begun. It is addressed to the session whose work it is, which has
 * it already: others speak up only if they always listen.
 */
export function* scheduleFired(
  context: StimulusContext,
  thread: ScheduleThread,
  at: number,
): Tx<NewEvent[]> {
  const channel = yield* channelOf(thread);
  const member = channel?.memberId;
  if (!channel || !member) return [];
  const { scheduleId, sessionId, title, threadRootMessageId } = thread;
  const news = {
    kind: 'schedule_fire' as const,
    threadRootMessageId,
    content: `The schedule “${title}” fired; I am on it.`,
    senderSessionId: sessionId,
    addressedMemberIds: [member],
    ...sourceOf(scheduleId),
    dedupeKey: `schedule:${scheduleId}:fire`,
    progressKey: `schedule:${scheduleId}:fire`,
  };
  return yield* reportInThread(context, channel, news, at);
}

/** What the work of a schedule came to, told in its thread. Who said nothing has nothing to tell. */
export function* scheduleEnded(
  context: StimulusContext,
  sessionId: string,
  runId: string,
  end: RunEnd,
): Tx<NewEvent[]> {
  const run = yield* findRun.first({ runId });
  if (run?.kind !== 'schedule') return [];
  const { origin } = decode(run.queued);
  const { scheduleId, channelId, threadRootMessageId } = origin;
  if (scheduleId === undefined || channelId === undefined || threadRootMessageId === undefined) {
    return [];
  }
  const schedule = yield* findSchedule.first({ scheduleId });
  const title = schedule ? decode(schedule.created).title : scheduleId;
  const said = textOf(yield* outputOf(run, end));
  const content = said !== '' ? said : failureText(end, title);
  const thread = { scheduleId, sessionId, title, channelId, threadRootMessageId };
  const channel = content === undefined ? undefined : yield* channelOf(thread);
  if (content === undefined || !channel?.memberId) return [];
  const news = {
    kind: 'schedule_result' as const,
    threadRootMessageId,
    content,
    senderSessionId: sessionId,
    ...sourceOf(scheduleId),
    dedupeKey: `schedule:${scheduleId}`,
    progressKey: `schedule:${scheduleId}:latest`,
  };
  return yield* reportInThread(context, channel, news, context.clock.now());
}

const sourceOf = (sourceRef: string) => ({ sourceKind: 'schedule', sourceRef });

/** That it failed is told; how, stays in the journal. */
function failureText(end: RunEnd, title: string): string | undefined {
  return end.type === 'failed' ? `The work of the schedule “${title}” failed.` : undefined;
}

/** Locked, with the place of the session in it; nothing is told where it is archived. */
function* channelOf({ channelId, sessionId }: ScheduleThread) {
  const row = yield* lockChannel.first({ channelId, actorId: `session:${sessionId}` });
  return row?.archivedAt === null ? { ...row, channelId } : undefined;
}
