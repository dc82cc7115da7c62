const HIDDEN = '[redacted]';

/**
 * The address of a database for people to see. Read as the driver reads it; where that is not sure to
 * be what was meant, nothing is shown: a password with a slash or a hash in it looks like a path.
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
