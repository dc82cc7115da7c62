import { describe, expect, it } from 'vitest';
import { cadenceFrom, type WrittenCadence } from './cadence.js';

const WRITTEN: WrittenCadence = {
  kind: 'interval',
  every: '1h 30m',
  expression: ' 0 9 * * * ',
  timeZone: 'UTC',
  at: '',
};

describe('a cadence as it is written', () => {
  it('is read', () => {
    expect(cadenceFrom(WRITTEN)).toEqual({ cadence: { kind: 'interval', everyMs: 5_400_000 } });
    expect(cadenceFrom({ ...WRITTEN, kind: 'cron' })).toEqual({
      cadence: { kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' },
    });
  });

  it('is refused at every field that cannot be read', () => {
    const at = (written: Partial<WrittenCadence>) => cadenceFrom({ ...WRITTEN, ...written });
    expect(at({ every: '1s' })).toEqual({ unreadable: { 'cadence.everyMs': 'At least 5s.' } });
    expect(at({ every: 'often' })).toHaveProperty(['unreadable', 'cadence.everyMs']);
    expect(at({ kind: 'once' })).toHaveProperty(['unreadable', 'cadence.at']);
    expect(at({ kind: 'cron', expression: ' ', timeZone: '' })).toEqual({
      unreadable: {
        'cadence.expression': 'This must not be empty.',
        'cadence.timeZone': 'This must not be empty.',
      },
    });
  });
});
