import type { Calendar } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import { Cron } from 'croner';

/** Cron expressions in a time zone; over a change of daylight saving time as croner defines it. */
export const calendar: Calendar = {
  nextCron(expression, timeZone, after) {
    try {
      const cron = new Cron(expression, { timezone: timeZone, paused: true });
      return cron.nextRun(new Date(after))?.getTime();
    } catch (error) {
      // Its messages begin with the name of the class that they come from.
      const why = (error instanceof Error ? error.message : String(error)).replace(/^\w+: /, '');
      throw new StoaError('invalid_schedule', `${expression} in ${timeZone}: ${why}`);
    }
  },
};
