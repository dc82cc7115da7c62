import { promises as dns } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { ToolFailure } from '../tool-failure.js';
import { isPublicAddress } from './public-address.js';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Replaced in tests. */
export interface FetchPorts {
  readonly resolve: (host: string) => Promise<readonly Address[]>;
  readonly isAllowed: (address: string) => boolean;
}

export const PUBLIC_INTERNET: FetchPorts = {
  resolve: (host) => dns.lookup(host, { all: true, verbatim: true }),
  isAllowed: isPublicAddress,
};

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** The body was longer than the limit. */
  readonly isCut: boolean;
}

export type Fetched =
  | { readonly type: 'page'; readonly page: Page }
  /** To a host that may not be followed. */
  | { readonly type: 'redirect'; readonly to: URL };

export interface FetchRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly ports: FetchPorts;
  /** Whether to follow a redirect to another host. */
  readonly mayFollow: (to: URL) => Promise<boolean>;
}

const REDIRECTS = 5;
const BODY_BYTES = 2 * 1024 * 1024;
const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Gets a page, only from the public internet. Each request resolves the host once, all its addresses must be
 * public, and the connection uses an address that was checked.
 */
export async function fetchPage(request: FetchRequest): Promise<Fetched> {
  let { url } = request;
  for (let hops = 0; ; hops += 1) {
    const answer = await getOnce(url, request);
    const location = MOVED.has(answer.status) ? answer.location : undefined;
    if (location === undefined) return { type: 'page', page: answer };
    if (hops === REDIRECTS) throw new ToolFailure(`More than ${REDIRECTS} redirects`);
    const next = parseUrl(location, url);
    if (next.host !== url.host && !(await request.mayFollow(next))) {
      return { type: 'redirect', to: next };
    }
    url = next;
  }
}

/** Throws unless it is an http or https URL without credentials. */
export function parseUrl(text: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw new ToolFailure(`Not a URL: ${text.slice(0, 200)}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolFailure(`Only http and https are fetched, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolFailure('A URL with a user name or a password is not fetched');
  }
  url.hash = '';
  return url;
}

async function addressOf(url: URL, { resolve, isAllowed }: FetchPorts): Promise<Address> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  let addresses: readonly Address[];
  try {
    addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ToolFailure(`${host} cannot be resolved (${code})`);
  }
  const [first] = addresses;
  if (!first) throw new ToolFailure(`${host} has no address`);
  // An attacker can add one public address to private ones.
  if (!addresses.every(({ address }) => isAllowed(address))) {
    throw new ToolFailure(`${host} has an address that is not on the public internet`);
  }
  return first;
}

type Answer = Page & { readonly location: string | undefined };

async function getOnce(url: URL, { signal, ports }: FetchRequest): Promise<Answer> {
  const pinned = await addressOf(url, ports);
  signal.throwIfAborted();
  const module = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const request = module.get(url, {
      agent: false,
      signal,
      headers: {
        accept: 'text/html, text/plain, application/json, text/*;q=0.9, */*;q=0.1',
        'accept-encoding': 'identity',
        'user-agent': 'Stoa',
      },
      lookup: (_host, options, done) => {
        if (options.all === true) done(null, [pinned]);
        else done(null, pinned.address, pinned.family);
      },
    });
    request.on('error', (error) => reject(asFailure(error, url, signal)));
    request.on('response', (response) => {
      takeAnswer(url, response).then(resolve, (error: unknown) => {
        response.destroy();
        reject(asFailure(error, url, signal));
      });
    });
  });
}

async function takeAnswer(url: URL, response: http.IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new ToolFailure(`The answer is encoded (${encoding})`);
  const contentType = headers['content-type'] ?? 'text/plain';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > BODY_BYTES) break;
  }
  response.destroy();
  const body = Buffer.concat(chunks).subarray(0, BODY_BYTES);
  return { url, status, contentType, location: headers.location, body, isCut: size > BODY_BYTES };
}

function asFailure(error: unknown, url: URL, signal: AbortSignal): Error {
  if (error instanceof ToolFailure) return error;
  if (signal.aborted) return signal.reason as Error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new ToolFailure(`${url.host} could not be fetched: ${code ?? message}`);
}
