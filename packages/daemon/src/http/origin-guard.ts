import type { IncomingHttpHeaders } from 'node:http';
import { StoaError } from '@stoa/protocol';

/** The names of this daemon; complete when the port is known. */
export class OriginGuard {
  #hosts = new Set<string>();

  allow(hosts: Iterable<string>): void {
    this.#hosts = new Set([...hosts].map((host) => host.toLowerCase()));
  }

  /**
   * A page on another site can make a browser send requests here, and can point its own name at this address. So the
   * Host must be one of ours, and if a browser reports where a request comes from, it must be us. No CORS header is
   * ever sent. Only a link to a page may be followed from anywhere: it shows the page to the person who follows it,
   * and nothing to the other site.
   */
  check(headers: IncomingHttpHeaders, isPage = false): void {
    const host = headers.host?.toLowerCase();
    if (host === undefined || !this.#hosts.has(host)) {
      throw new StoaError('host_not_allowed', 'The Host header does not name this daemon');
    }
    const { origin } = headers;
    if (origin !== undefined && !this.#isOurs(origin)) {
      throw new StoaError('origin_not_allowed', 'The Origin header names another site');
    }
    if (comesFromElsewhere(headers) && !(isPage && isFollowed(headers))) {
      throw new StoaError(
        'origin_not_allowed',
        'The browser reports that the request comes from another site',
      );
    }
  }

  /** Host and port as in `Host`. */
  isOwnHost(host: string): boolean {
    return this.#hosts.has(host.toLowerCase());
  }

  #isOurs(origin: string): boolean {
    const match = /^https?:\/\/(.+)$/.exec(origin.toLowerCase());
    return match?.[1] !== undefined && this.#hosts.has(match[1]);
  }
}

/** According to the browser; other programs do not send it. */
function comesFromElsewhere({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site === 'cross-site' || site === 'same-site';
}

/** A window will show it, not a frame or script of another page. */
function isFollowed(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
