const ALLOWED = new Set(['http:', 'https:', 'mailto:']);

/** Where a link in a message may lead; undefined for scripts, data, and what is no address of its own. */
export function safeUrl(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url);
    return ALLOWED.has(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
