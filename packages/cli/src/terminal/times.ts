const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "3 h ago", "in 9 min"; further away than a month, the date. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 5 * SECOND) return 'now';
  if (distance >= 31 * DAY) return dateOf(new Date(at));
  const amount = span(distance);
  return at <= now ? `${amount} ago` : `in ${amount}`;
}

function span(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  return ms < DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}

/** The time of day of the reader; with the date unless it is today. */
export function clockTime(at: number, now: number): string {
  const moment = new Date(at);
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':');
  const date = dateOf(moment);
  return date === dateOf(new Date(now)) ? time : `${date} ${time}`;
}

function dateOf(moment: Date): string {
  return [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}
