const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const DATE_AND_TIME = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

const dayOf = (at: number): string => new Date(at).toDateString();

export const isSameDay = (a: number, b: number): boolean => dayOf(a) === dayOf(b);

const isThisYear = (at: number, now: number): boolean =>
  new Date(at).getFullYear() === new Date(now).getFullYear();

/** As people say it: today, yesterday, a weekday; the year only where it is another. */
export function dayName(at: number, now: number): string {
  if (isSameDay(at, now)) return 'Today';
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (isSameDay(at, yesterday.getTime())) return 'Yesterday';
  return (isThisYear(at, now) ? DAY : DAY_OF_YEAR).format(at);
}

export const timeOf = (at: number): string => TIME.format(at);

/** The time for a narrow column, below another one with the half of the day. */
export function clockOf(at: number, format = TIME): string {
  return format
    .formatToParts(at)
    .map(({ type, value }) => (type === 'dayPeriod' ? '' : value))
    .join('')
    .trim();
}

/** For rows without a day heading: the time, and the day unless it is today. */
export function whenOf(at: number, now = Date.now()): string {
  if (isSameDay(at, now)) return timeOf(at);
  return (isThisYear(at, now) ? DAY_AND_TIME : DATE_AND_TIME).format(at);
}

/** In full, for who wants to know exactly. */
export const momentOf = (at: number): string => MOMENT.format(at);
