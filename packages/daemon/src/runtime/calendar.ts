import type { Calendar } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import { Cron } from 'croner';

/** Croner accepts a year as a seventh field; nobody expects that here, and `once` serves the purpose. */
const FIELDS = [5, 6];

/** Cron expressions in a time zone; croner defines the behaviour at changes of daylight saving time. */
export const calendar: Calendar = {
  nextCron(expression, timeZone, after) {
    assertTimeZone(timeZone);
    try {
      const fields = expression.trim().split(/\s+/).length;
      const isName = expression.startsWith('@');
      if (!isName && !FIELDS.includes(fields)) {
        throw new Error('a cron expression has five fields, or six with seconds');
      }
      const cron = new Cron(expression, { timezone: timeZone, paused: true });
      return cron.nextRun(new Date(after))?.getTime();
    } catch (error) {
      // Its messages begin with the name of the error class.
      const why = (error instanceof Error ? error.message : String(error)).replace(/^\w+: /, '');
      throw new StoaError('invalid_schedule', `${expression} in ${timeZone}: ${why}`);
    }
  },
};

function assertTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new StoaError(
      'invalid_schedule',
      `There is no time zone ${timeZone}: give one as Europe/Berlin or UTC`,
    );
  }
}
