import { isLoginLink } from './login-link.js';

const ALLOWED = new Set(['http:', 'https:', 'mailto:']);

type Here = Parameters<typeof isLoginLink>[1];

/** Where a link in a message may lead; undefined for scripts, data, login links of this daemon, and what is no address of its own. */
export function safeUrl(url: string, here: Here = location): string | undefined {
  try {
    const parsed = new URL(url);
    // Somebody else's login link would log the reader in as somebody else.
    if (isLoginLink(parsed, here)) return undefined;
    return ALLOWED.has(parsed.protocol) ? parsed.href : undefined;
  } catch {
    return undefined;
  }
}
