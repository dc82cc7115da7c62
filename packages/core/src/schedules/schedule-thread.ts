import { textOf } from '@stoa/protocol';
import { findRun, findSchedule, lockChannel, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import type { EventOf } from '../kernel/module.js';
import type { RunEnd } from '../runs/run-end.js';
import { reportInThread } from '../stimuli/add-stimulus.js';
import type { StimulusContext } from '../stimuli/context.js';
import { outputOf } from '../turns/publication.js';
import { withBinding } from '../work/changes.js';
import { unbind, workChanged, workIn } from '../work/read-work.js';

/** A schedule that a run created in a thread, and reports there. */
export interface ScheduleThread {
  readonly scheduleId: string;
  readonly sessionId: string;
  readonly title: string;
  readonly channelId: string;
  readonly threadRootMessageId: string;
}

/** The thread of a schedule, if it was created in one. */
export function threadOf(
  sessionId: string,
  created: EventOf<'schedule_created'>['data'],
): ScheduleThread | undefined {
  const { scheduleId, title, channelId, threadRootMessageId } = created;
  if (channelId === undefined || threadRootMessageId === undefined) return undefined;
  return { scheduleId, sessionId, title, channelId, threadRootMessageId };
}

/** Binds a schedule to the work of its thread, in the commit that creates it. */
export function* bindSchedule(thread: ScheduleThread, at: number): Tx<NewEvent[]> {
  const channel = yield* channelOf(thread);
  const work = channel && (yield* workIn(channel, thread.threadRootMessageId, at));
  if (!work) return [];
  const { scheduleId: bindingRef } = thread;
  const bound = withBinding(work, { bindingKind: 'schedule', bindingRef, boundAt: at });
  return [workChanged('binding', bound)];
}

/** The channel is locked already. */
export function* unbindSchedule(thread: ScheduleThread): Tx<NewEvent[]> {
  const channel = yield* channelOf(thread);
  if (!channel) return [];
  const { scheduleId, threadRootMessageId } = thread;
  return yield* unbind(channel.topicId, threadRootMessageId, 'schedule', scheduleId);
}

/**
 * Reports in the thread that the schedule fired. The report addresses the session of the schedule, so that no other session
 * takes a turn for it.
 */
export function* reportFire(
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

/** Reports the output of a run that a schedule started in its thread. */
export function* reportResult(
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
  const output = textOf(yield* outputOf(run, end));
  const content = output !== '' ? output : failureText(end, title);
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

/** The thread learns only that the run failed; the journal contains the reason. */
function failureText(end: RunEnd, title: string): string | undefined {
  return end.type === 'failed' ? `The work of the schedule “${title}” failed.` : undefined;
}

/** The locked channel with the session's membership, unless it is archived. */
function* channelOf({ channelId, sessionId }: ScheduleThread) {
  const row = yield* lockChannel.first({ channelId, actorId: `session:${sessionId}` });
  return row?.archivedAt === null ? { ...row, channelId } : undefined;
}
