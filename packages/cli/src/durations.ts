const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `90s`, `10m`, `1h30m`, `7d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d{1,9}[smhdw])+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d{1,9})([smhdw])/g)) {
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  }
  return total > 0 && Number.isSafeInteger(total) ? total : undefined;
}

export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  let left = Math.round(ms / 1_000) * 1_000;
  let text = '';
  for (const unit of ['w', 'd', 'h', 'm', 's']) {
    const size = UNITS[unit] ?? 1;
    const count = Math.floor(left / size);
    if (count > 0) text += `${count}${unit}`;
    left -= count * size;
  }
  return text;
}

/** ISO 8601; without a zone it is the time of this machine. Undefined for anything else. */
export function parseInstant(text: string): number | undefined {
  const iso =
    /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
  if (!iso.test(text)) return undefined;
  // A date alone would be read as midnight in UTC.
  const at = Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T'));
  return Number.isNaN(at) || !isInCalendar(text) ? undefined : at;
}

/** The 31st of February would be read as a day in March. */
function isInCalendar(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
