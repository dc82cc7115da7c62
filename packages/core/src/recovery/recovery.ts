import { channelTopic, SYSTEM, type ThreadWork } from '@stoa/protocol';
import {
  findMessageRow,
  listBoundSchedules,
  listEventsOfTypeBefore,
  listLostWork,
  listOpenWork,
  type Tx,
} from '@stoa/store';
import { channelToChange, type OpenChannel } from '../channels/channel-gate.js';
import { dataOf, decode } from '../kernel/codec.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { bindSchedule } from '../schedules/schedule-thread.js';
import type { StimulusContext } from '../stimuli/context.js';
import type { Stimuli } from '../stimuli/stimuli.js';
import { findWork, workChanged, workOf } from '../work/read-work.js';
import { withValidBindings, withValidSnapshots } from './repair-work.js';

const PAGE = 200;
const LOG_PAGE = 50;
/** How many of the newest posted stimuli are checked for missing work. */
const MAX_STIMULI = 1_000;
const MAX_SCHEDULES = 10_000;

export interface PassReport {
  readonly pass: string;
  readonly repaired: number;
}

/**
 * Repairs stimuli and thread work when a daemon starts. A pass changes only what is wrong, so a second run repairs
 * nothing. Its cost depends on open work, not on history. Each repair is one line in the log of the daemon.
 *
 *   requeue_claimed_stimuli     requeues stimuli that a daemon claimed before it ended
 *   index_waiting_stimuli       indexes pending stimuli of versions without keys
 *   rebuild_thread_work         restores missing work of threads in which stimuli were posted
 *   repair_progress_snapshots   replaces progress markers that are not in their thread, or drops them
 *   repair_work_bindings        drops schedules and runs that ended or belong to another thread, and tasks, agents and
 *                               sources that do not exist
 *   rebind_schedules            binds schedules to the threads in which they were created
 */
export class Recovery {
  constructor(
    private readonly context: StimulusContext,
    private readonly stimuli: Stimuli,
  ) {}

  async run(): Promise<PassReport[]> {
    return [
      { pass: 'requeue_claimed_stimuli', repaired: await this.stimuli.requeueLost() },
      { pass: 'index_waiting_stimuli', repaired: await this.stimuli.indexWaiting() },
      await this.#rebuildWork(),
      await this.#repairOpenWork('repair_progress_snapshots', withValidSnapshots),
      await this.#repairOpenWork('repair_work_bindings', withValidBindings),
      await this.#rebindSchedules(),
    ];
  }

  async #rebuildWork(): Promise<PassReport> {
    const pass = 'rebuild_thread_work';
    const lost = await this.context.store.read(() => listLostWork.all({ newest: MAX_STIMULI }));
    let repaired = 0;
    for (const { channelId, rootMessageId } of lost) {
      const isDone = await this.#write(pass, channelId, rootMessageId, function* ({ topicId }) {
        if (yield* findWork(topicId, rootMessageId)) return [];
        const work = yield* lastKnownWork(topicId, rootMessageId);
        return work ? [workChanged('recovery', work)] : [];
      });
      if (isDone) repaired += 1;
    }
    return { pass, repaired };
  }

  async #repairOpenWork(
    pass: string,
    repair: (topicId: number, work: ThreadWork) => Tx<ThreadWork>,
  ): Promise<PassReport> {
    let repaired = 0;
    let after = { topicId: 0, rootMessageId: '' };
    for (;;) {
      const page = { ...after, limit: PAGE };
      const rows = await this.context.store.read(() => listOpenWork.all(page));
      for (const row of rows) {
        const { topicId, rootMessageId, channelId } = row;
        after = { topicId, rootMessageId };
        const known = workOf(row);
        if (known.bindings.length + known.progressSnapshots.length === 0) continue;
        const isDone = await this.#write(pass, channelId, rootMessageId, function* () {
          const work = yield* findWork(topicId, rootMessageId);
          const valid = work && (yield* repair(topicId, work));
          return valid === work || !valid ? [] : [workChanged('recovery', valid)];
        });
        if (isDone) repaired += 1;
      }
      if (rows.length < PAGE) return { pass, repaired };
    }
  }

  async #rebindSchedules(): Promise<PassReport> {
    const pass = 'rebind_schedules';
    const rows = await this.context.store.read(() =>
      listBoundSchedules.all({ limit: MAX_SCHEDULES }),
    );
    let repaired = 0;
    for (const { scheduleId, sessionId, created } of rows) {
      const { title, channelId, threadRootMessageId } = decode(created);
      if (channelId === undefined || threadRootMessageId === undefined) continue;
      const thread = { scheduleId, sessionId, title, channelId, threadRootMessageId };
      const isDone = await this.#write(
        pass,
        channelId,
        threadRootMessageId,
        function* (channel, at) {
          const work = yield* findWork(channel.topicId, threadRootMessageId);
          const isBound = work?.bindings.some(({ bindingRef }) => bindingRef === scheduleId);
          return isBound ? [] : yield* bindSchedule(thread, at);
        },
      );
      if (isDone) repaired += 1;
    }
    return { pass, repaired };
  }

  /** Returns whether something was repaired. A failure does not stop the other repairs; the next start tries again. */
  async #write(
    pass: string,
    channelId: string,
    threadRootMessageId: string,
    decide: (channel: OpenChannel, at: number) => Tx<NewEvent[]>,
  ): Promise<boolean> {
    const { log, diagnose } = this.context;
    const details = { pass, channelId, threadRootMessageId };
    try {
      const isDone = await log.write({
        actor: 'system',
        lane: channelTopic(channelId),
        open: () => channelToChange(SYSTEM, channelId),
        *decide(channel, at): Tx<Decision<boolean>> {
          const events = yield* decide(channel, at);
          return { events, answer: () => events.length > 0 };
        },
      });
      if (isDone) diagnose('repaired at the start', details);
      return isDone;
    } catch (error) {
      diagnose('could not be repaired', { ...details, error });
      return false;
    }
  }
}

/** The last work of a thread in the log of its channel, read backwards to the root of the thread. */
function* lastKnownWork(topicId: number, rootMessageId: string): Tx<ThreadWork | undefined> {
  const root = yield* findMessageRow.first({ topicId, messageId: rootMessageId });
  if (!root) return undefined;
  const type = 'thread_work_changed';
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = { topicId, type, after: root.seq - 1, before, limit: LOG_PAGE };
    const events = yield* listEventsOfTypeBefore.all(page);
    for (const { body, seq } of events) {
      before = seq;
      const { work } = dataOf('thread_work_changed', { body });
      if (work.threadRootMessageId === rootMessageId) return work;
    }
    if (events.length < LOG_PAGE) return undefined;
  }
}
