import type { IncomingHttpHeaders } from 'node:http';
import { StoaError } from '@stoa/protocol';

/** Which names this daemon answers to; filled in once the port is known. */
export class OriginGuard {
  #hosts = new Set<string>();

  allow(hosts: Iterable<string>): void {
    this.#hosts = new Set([...hosts].map((host) => host.toLowerCase()));
  }

  /**
   * A page on another site can make a browser send requests here, and can point its own name at this
   * address. So the Host must be one of ours, and where a browser says where a request comes from, it
   * must be us. No CORS header is ever sent.
   */
  check(headers: IncomingHttpHeaders): void {
    const host = headers.host?.toLowerCase();
    if (host === undefined || !this.#hosts.has(host)) {
      throw new StoaError('host_not_allowed', 'The Host header does not name this daemon');
    }
    const { origin } = headers;
    if (origin !== undefined && !this.#isOurs(origin)) {
      throw new StoaError('origin_not_allowed', 'The Origin header names another site');
    }
    const site = headers['sec-fetch-site'];
    if (site === 'cross-site' || site === 'same-site') {
      throw new StoaError(
        'origin_not_allowed',
        'The browser says the request comes from another site',
      );
    }
  }

  #isOurs(origin: string): boolean {
    const match = /^https?:\/\/(.+)$/.exec(origin.toLowerCase());
    return match?.[1] !== undefined && this.#hosts.has(match[1]);
  }
}
