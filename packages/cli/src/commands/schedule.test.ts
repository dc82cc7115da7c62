import { Cadence } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../failure.js';
import { cadenceFrom, cadenceText } from './schedule.js';
import { momentFrom } from './usage.js';

describe('when a schedule fires', () => {
  it('is read from one of three options, as the contract has it', () => {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const cron = cadenceFrom({ cron: '0 9 * * *' });
    expect(cron).toEqual({ kind: 'cron', expression: '0 9 * * *', timeZone: zone });
    expect(cadenceFrom({ cron: '0 9 * * *', timeZone: 'Europe/Berlin' })).toMatchObject({
      timeZone: 'Europe/Berlin',
    });
    const every = cadenceFrom({ every: 600_000 });
    expect(cadenceText(every, 0)).toBe('every 10m');
    const once = cadenceFrom({ at: '2026-03-01T09:00Z' });
    expect(once).toEqual({ kind: 'once', at: Date.UTC(2026, 2, 1, 9) });
    for (const cadence of [cron, every, once]) {
      expect(Cadence.safeParse(cadence).success).toBe(true);
    }
  });

  it.each([
    [{}],
    [{ cron: '0 9 * * *', every: 600_000 }],
    [{ at: 'tomorrow' }],
    [{ every: 600_000, timeZone: 'UTC' }],
  ])('is refused with what to write instead: %o', (options) => {
    expect(() => cadenceFrom(options)).toThrow(UsageError);
  });
});

describe('since when usage is counted', () => {
  it('is a time, or how long ago', () => {
    expect(momentFrom('--since', undefined, 5)).toBeUndefined();
    expect(momentFrom('--since', '10s', 25_000)).toBe(15_000);
    expect(momentFrom('--since', '2026-03-01T00:00Z', 0)).toBe(Date.UTC(2026, 2, 1));
    expect(() => momentFrom('--since', 'lately', 0)).toThrow('--since is neither');
  });
});
