const UNITS = ['bytes', 'KB', 'MB', 'GB'];

/** How large something is, as people say it: three digits at most. */
export function sizeOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 10 ? 0 : 1;
  return `${Number(size.toFixed(digits))} ${UNITS[unit] ?? ''}`;
}
