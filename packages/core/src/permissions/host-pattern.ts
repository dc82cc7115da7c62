import { matchesWildcard, type Wildcard, wildcardOf } from './wildcard.js';

/**
 * The pattern of `Fetch(…)`: `domain:example.com` matches only that host, `domain:*.example.com` every host below it, but not
 * itself.
 */
export function parseHostPattern(text: string): Wildcard | { readonly problem: string } {
  const host = /^domain:([\w.*:[\]-]+)$/.exec(text)?.[1];
  if (host === undefined) return { problem: 'the pattern has to be domain:host' };
  return wildcardOf(plainHost(host));
}

export function matchesHost(pattern: Wildcard, host: string): boolean {
  return matchesWildcard(pattern, plainHost(host));
}

/** Case and a final dot make no difference. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
