import { describe, expect, it } from 'vitest';
import { calendar } from './calendar.js';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('the calendar', () => {
  it.each([
    ['0 9 * * *', 'UTC', '2026-01-02T09:00:00.000Z'],
    ['30 0 9 * * *', 'UTC', '2026-01-02T09:00:30.000Z'],
    ['@daily', 'Europe/Berlin', '2026-01-01T23:00:00.000Z'],
  ])('finds the next time of %s in %s', (expression, timeZone, next) => {
    const found = calendar.nextCron(expression, timeZone, NOON);
    expect(new Date(found ?? 0).toISOString()).toBe(next);
  });

  it.each([
    ['foo', 'UTC', 'foo in UTC: a cron expression has five fields, or six with seconds'],
    ['0 0 9 * * * 2030', 'UTC', 'five fields, or six with seconds'],
    ['99 * * * *', 'UTC', '99 * * * * in UTC: Invalid value for minute: 99'],
    [
      '0 9 * * *',
      'Mars/Phobos',
      'There is no time zone Mars/Phobos: give one as Europe/Berlin or UTC',
    ],
  ])('explains the problem of %s in %s', (expression, timeZone, why) => {
    expect(() => calendar.nextCron(expression, timeZone, NOON)).toThrow(why);
  });
});
