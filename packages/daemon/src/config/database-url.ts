const HIDDEN = '[redacted]';

/**
 * The address of a database for display. Parsed like the driver does; if the parts are ambiguous, nothing is shown: a
 * password with a slash or a hash looks like a path.
 */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return HIDDEN;
  const parsed = new URL(url);
  if (/@|%40/i.test(parsed.pathname + parsed.search + parsed.hash)) return HIDDEN;
  if (parsed.password !== '') parsed.password = HIDDEN;
  for (const name of new Set(parsed.searchParams.keys())) {
    if (/password/i.test(name)) parsed.searchParams.set(name, HIDDEN);
  }
  return parsed.href.replaceAll(encodeURIComponent(HIDDEN), HIDDEN);
}
