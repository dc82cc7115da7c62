const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
