import { channelTopic, SYSTEM, type ThreadWork } from '@stoa/protocol';
import { listBoundSchedules, listLostWork, listOpenWork, type Tx } from '@stoa/store';
import { channelToChange, type OpenChannel } from '../channels/channel-gate.js';
import { decode } from '../kernel/codec.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { bindSchedule } from '../schedules/schedule-thread.js';
import type { StimulusContext } from '../stimuli/context.js';
import type { Stimuli } from '../stimuli/stimuli.js';
import { findWork, workChanged, workOf } from '../work/read-work.js';
import { lastKnownWork } from './last-known-work.js';
import { withSoundBindings, withSoundSnapshots } from './sound-work.js';

const PAGE = 200;
/** Of the stimuli that were posted, how many of the newest are held against the work they belong to. */
const NEWEST_STIMULI = 1_000;
const SCHEDULES = 10_000;

/** What a pass did: how many it repaired. */
export interface PassReport {
  readonly pass: string;
  readonly repaired: number;
}

/**
 * What is put right when a daemon starts. Each pass has a name, changes nothing that is right, and can
 * be run again: a second run finds nothing to do. What it costs follows from what is open, not from
 * what was. What a pass repaired is told in the log of the daemon, one line each.
 *
 *   requeue_claimed_stimuli     claims of daemons that are gone wait again
 *   index_waiting_stimuli       stimuli that wait and were made before they were looked up by keys
 *   rebuild_thread_work         threads in which stimuli were posted and whose work is not known
 *   repair_progress_snapshots   markers that are not in their thread: the newest that is, or none
 *   repair_work_bindings        schedules and runs that are not of this thread, or over, and tasks, agents and sources
 *                               of observations that do not exist: dropped
 *   rebind_schedules            schedules made in a thread that its work does not know of
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
      await this.#repairOpenWork('repair_progress_snapshots', withSoundSnapshots),
      await this.#repairOpenWork('repair_work_bindings', withSoundBindings),
      await this.#rebindSchedules(),
    ];
  }

  async #rebuildWork(): Promise<PassReport> {
    const pass = 'rebuild_thread_work';
    const lost = await this.context.store.read(() => listLostWork.all({ newest: NEWEST_STIMULI }));
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
    sound: (topicId: number, work: ThreadWork) => Tx<ThreadWork>,
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
          const right = work && (yield* sound(topicId, work));
          return right === work || !right ? [] : [workChanged('recovery', right)];
        });
        if (isDone) repaired += 1;
      }
      if (rows.length < PAGE) return { pass, repaired };
    }
  }

  async #rebindSchedules(): Promise<PassReport> {
    const pass = 'rebind_schedules';
    const rows = await this.context.store.read(() => listBoundSchedules.all({ limit: SCHEDULES }));
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

  /** What cannot be repaired is left to the next start; the others are not kept from theirs. */
  async #write(
    pass: string,
    channelId: string,
    threadRootMessageId: string,
    decide: (channel: OpenChannel, at: number) => Tx<NewEvent[]>,
  ): Promise<boolean> {
    const { log, diagnose } = this.context;
    const place = { pass, channelId, threadRootMessageId };
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
      if (isDone) diagnose('repaired at the start', place);
      return isDone;
    } catch (error) {
      diagnose('could not be repaired', { ...place, error });
      return false;
    }
  }
}
