import { nextScheduleAt, SCHEDULE_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { assets } from '../assets/module.js';
import { channels } from '../channels/module.js';
import { inbox } from '../inbox/module.js';
import { DurableQueue } from '../kernel/durable-queue.js';
import { on } from '../kernel/hooks.js';
import { type Committed, defineModule } from '../kernel/module.js';
import type { Calendar } from '../ports.js';
import { RUN_ENDED } from '../runs/end-run.js';
import { runs } from '../runs/module.js';
import { sessions } from '../sessions/module.js';
import { stimuli } from '../stimuli/module.js';
import { turns } from '../turns/module.js';
import { work } from '../work/module.js';
import { SCHEDULE_EVENTS } from './projection.js';
import { reportResult } from './schedule-thread.js';
import { Schedules } from './schedules.js';

export interface SchedulePorts {
  readonly runtime: { readonly calendar: Calendar };
}

/** Schedules: items that are added to inboxes at given times. */
export const schedules = defineModule({
  name: 'schedules',
  needs: [access, assets, sessions, channels, runs, inbox, work, turns, stimuli],
  events: SCHEDULE_EVENTS,
  tables: { session: SCHEDULE_TABLES },
  create({ stimulusContext: context }, { runtime }: SchedulePorts) {
    const service = new Schedules({ context, calendar: runtime.calendar });
    const queue = new DurableQueue(context, {
      failure: 'due schedules could not fire',
      work: () => service.fireDue(),
      *next() {
        return (yield* nextScheduleAt.first({}))?.at ?? null;
      },
    });
    const changed = ({ data }: Committed<'schedule_created' | 'schedule_changed'>): void => {
      if (data.nextFireAt !== undefined) queue.changed(data.nextFireAt);
    };
    return {
      services: { schedules: service },
      within: [
        on(RUN_ENDED, ({ sessionId }, runId, end) => reportResult(context, sessionId, runId, end)),
      ],
      after: { schedule_created: changed, schedule_changed: changed },
      ticks: [{ everyMs: 5_000, run: () => queue.poll(), runsAtStart: true }],
      close: () => queue.stop(),
    };
  },
});
