/** Shorter ones are no secrets, and taking them out would garble everything. */
const LEAST_CHARS = 6;

/** Takes secrets out of texts that people read. */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const known = secrets
    .filter((secret) => secret.length >= LEAST_CHARS)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}
