import { describe, expect, it } from 'vitest';
import { clockOf, dayName, isSameDay, timeOf, whenOf } from './days.js';

const noon = (year: number, month: number, day: number): number =>
  new Date(year, month - 1, day, 12).getTime();

describe('a moment without a day heading', () => {
  const now = noon(2026, 3, 1);

  it('is a time of today, and has its day or its year where that is another', () => {
    expect(whenOf(now - 60_000, now)).toBe(timeOf(now - 60_000));
    const earlier = noon(2026, 2, 27);
    expect(whenOf(earlier, now)).toContain('27');
    expect(whenOf(earlier, now)).toContain(timeOf(earlier));
    expect(whenOf(earlier, now)).not.toContain('2026');
    expect(whenOf(noon(2025, 2, 27), now)).toContain('2025');
  });
});

describe('a time in a narrow column', () => {
  it('leaves out the half of the day, wherever a language has it', () => {
    const at = new Date(2026, 2, 1, 15, 15).getTime();
    const written = (locale: string): string =>
      clockOf(at, new Intl.DateTimeFormat(locale, { timeStyle: 'short' }));
    expect(written('en-US')).toBe('3:15');
    expect(written('ko')).toBe('3:15');
    expect(written('de')).toBe('15:15');
  });
});

describe('a day, as it is called', () => {
  const now = noon(2026, 3, 1);

  it('is today or yesterday, over the end of a month too', () => {
    expect(dayName(now - 3_600_000, now)).toBe('Today');
    expect(dayName(noon(2026, 2, 28), now)).toBe('Yesterday');
    expect(isSameDay(now, noon(2026, 2, 28))).toBe(false);
  });

  it('has its year only where that is another', () => {
    expect(dayName(noon(2026, 1, 5), now)).not.toContain('2026');
    expect(dayName(noon(2025, 1, 5), now)).toContain('2025');
  });
});
