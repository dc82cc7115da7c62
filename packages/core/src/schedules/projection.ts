import { insertSchedule, setScheduleFired, setScheduleStatus } from '@stoa/store';
import type { Projections } from '../kernel/module.js';

/** What the events of schedules do to their table. */
export const SCHEDULE_EVENTS: Projections = {
  *schedule_created(position, event) {
    const { topicId, seq } = position;
    const { scheduleId, nextFireAt } = event.data;
    yield* insertSchedule.run({ topicId, seq, scheduleId, nextFireAt: nextFireAt ?? null });
  },
  *schedule_changed(_, event) {
    const { scheduleId, status, nextFireAt } = event.data;
    yield* setScheduleStatus.run({ scheduleId, status, nextFireAt: nextFireAt ?? null });
  },
  *schedule_fired(_, event) {
    const { scheduleId, dueAt, runId } = event.data;
    yield* setScheduleFired.run({ scheduleId, at: dueAt, runId, fires: 1, skipped: 0 });
  },
  *schedule_skipped(_, event) {
    const { scheduleId, dueAt } = event.data;
    yield* setScheduleFired.run({ scheduleId, at: dueAt, runId: null, fires: 0, skipped: 1 });
  },
};
