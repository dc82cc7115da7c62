const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90s`, `1h 30m`, `250ms`; `0` needs no unit. Undefined for what is none. */
export function parseDuration(text: string): number | undefined {
  const written = text.replaceAll(/\s+/g, '').toLowerCase();
  if (written === '0') return 0;
  if (!/^(?:\d{1,9}(?:ms|min|[smhd]))+$/.test(written)) return undefined;
  let total = 0;
  for (const [, amount, unit] of written.matchAll(/(\d{1,9})(ms|min|[smhd])/g)) {
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  }
  return Number.isSafeInteger(total) ? total : undefined;
}

/** As `parseDuration` reads it. */
export function durationText(ms: number): string {
  if (ms === 0) return '0';
  const parts: string[] = [];
  let left = ms;
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = UNITS[unit] ?? 1;
    const count = Math.floor(left / size);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * size;
  }
  return parts.join(' ');
}
