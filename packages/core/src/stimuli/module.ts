import { TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { channels } from '../channels/module.js';
import { on } from '../kernel/hooks.js';
import { type Committed, defineModule } from '../kernel/module.js';
import { runs } from '../runs/module.js';
import { sessions } from '../sessions/module.js';
import { turns } from '../turns/module.js';
import { work } from '../work/module.js';
import { WORK_NEWS } from '../work/works.js';
import { tellThread } from './add-stimulus.js';
import type { StimulusContext } from './context.js';
import { IdleThreads } from './idle-threads.js';
import { STIMULUS_EVENTS } from './projection.js';
import { Stimuli } from './stimuli.js';
import { StimulusClock } from './stimulus-clock.js';

export interface StimulusPorts {
  readonly runtime: { readonly daemonId: string };
}

/** Stimuli: reasons to post in a channel without a person, and when they are posted. */
export const stimuli = defineModule({
  name: 'stimuli',
  needs: [access, sessions, channels, runs, work, turns],
  events: STIMULUS_EVENTS,
  tables: { channel: TABLES.stimuli },
  create({ sessionContext, timers }, { runtime }: StimulusPorts) {
    const stimulusContext: StimulusContext = { ...sessionContext, daemonId: runtime.daemonId };
    const service = new Stimuli(stimulusContext);
    const idle = new IdleThreads(stimulusContext);
    const clock = new StimulusClock(stimulusContext, service, idle, timers);
    const changed = ({
      data,
    }: Committed<'stimulus_created' | 'stimulus_deferred' | 'stimulus_replayed'>): void => {
      clock.changed(data);
    };
    const soon = (): void => {
      clock.soon();
    };
    return {
      within: [
        on(WORK_NEWS, (channel, news, at) => tellThread(stimulusContext, channel, news, at)),
      ],
      services: { stimulusContext, stimuli: service, stimulusClock: clock },
      after: {
        stimulus_created: changed,
        stimulus_deferred: changed,
        stimulus_replayed: changed,
        turn_decided: ({ data }) => {
          if (data.turn.closedAt !== undefined) clock.soon();
        },
        channel_updated: soon,
        channel_unarchived: soon,
      },
      ticks: [{ everyMs: 5_000, run: () => clock.look(), runsAtStart: true }],
      async close() {
        clock.stop();
        await clock.settled();
      },
    };
  },
});
