const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

const dayOf = (at: number): string => new Date(at).toDateString();

export const isSameDay = (a: number, b: number): boolean => dayOf(a) === dayOf(b);

/** As people say it: today, yesterday, a weekday; the year only where it is another. */
export function dayName(at: number, now: number): string {
  if (isSameDay(at, now)) return 'Today';
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (isSameDay(at, yesterday.getTime())) return 'Yesterday';
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? DAY : DAY_OF_YEAR).format(at);
}

export const timeOf = (at: number): string => TIME.format(at);

/** In full, for who wants to know exactly. */
export const momentOf = (at: number): string => MOMENT.format(at);
