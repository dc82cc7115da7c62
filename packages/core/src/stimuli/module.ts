import { nextExpiryAt, nextStimulusAt, STIMULUS_TABLES, type Tx, together } from '@stoa/store';
import { access } from '../access/module.js';
import { channels } from '../channels/module.js';
import { DurableQueue, dueAt } from '../kernel/durable-queue.js';
import { on } from '../kernel/hooks.js';
import { type Committed, defineModule } from '../kernel/module.js';
import { runs } from '../runs/module.js';
import { sessions } from '../sessions/module.js';
import { turns } from '../turns/module.js';
import { work } from '../work/module.js';
import { WORK_NEWS } from '../work/works.js';
import { reportInThread } from './add-stimulus.js';
import type { StimulusContext } from './context.js';
import { followUpIdleThreads } from './idle-threads.js';
import { STIMULUS_EVENTS } from './projection.js';
import { Stimuli } from './stimuli.js';

export interface StimulusPorts {
  readonly runtime: { readonly daemonId: string };
}

/** Stimuli: reasons to post in a channel without a message of a person, posted when they are due. */
export const stimuli = defineModule({
  name: 'stimuli',
  needs: [access, sessions, channels, runs, work, turns],
  events: STIMULUS_EVENTS,
  tables: { channel: STIMULUS_TABLES },
  create({ sessionContext }, { runtime }: StimulusPorts) {
    const stimulusContext: StimulusContext = { ...sessionContext, daemonId: runtime.daemonId };
    const service = new Stimuli(stimulusContext);
    const queue = new DurableQueue(stimulusContext, {
      failure: 'due stimuli could not be posted',
      work: () => service.tick(),
      next: nextDueAt,
    });
    const changed = ({
      data,
    }: Committed<'stimulus_created' | 'stimulus_deferred' | 'stimulus_replayed'>): void => {
      queue.changed(dueAt(data));
    };
    const soon = (): void => {
      queue.soon();
    };
    return {
      within: [
        on(WORK_NEWS, (channel, news, at) => reportInThread(stimulusContext, channel, news, at)),
      ],
      services: { stimulusContext, stimuli: service },
      after: {
        stimulus_created: changed,
        stimulus_deferred: changed,
        stimulus_replayed: changed,
        turn_decided: ({ data }) => {
          if (data.turn.closedAt !== undefined) queue.soon();
        },
        channel_updated: soon,
        channel_unarchived: soon,
      },
      ticks: [
        { everyMs: 30_000, run: () => followUpIdleThreads(stimulusContext), runsAtStart: true },
        { everyMs: 5_000, run: () => service.requeueLost() },
        { everyMs: 5_000, run: () => queue.poll(), runsAtStart: true },
      ],
      close: () => queue.stop(),
    };
  },
});

/** Due stimuli that the round left wait for an event, so only later times count. */
function* nextDueAt(now: number): Tx<number | null> {
  const rows = yield* together(nextStimulusAt.first({ now }), nextExpiryAt.first({ now }));
  const times = rows.flatMap((row) => row?.at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}
