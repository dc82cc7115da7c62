import http from 'node:http';
import { ConnectionLost, type Transport, type TransportAnswer } from './transport.js';

export interface NodeTransport extends Transport {
  /** Closes idle connections. They do not keep a process alive, so a short command need not call it. */
  close(): void;
}

/** Keep-alive connections of `node:http`; `node:https` is loaded if an address needs it. */
export function nodeTransport(): NodeTransport {
  const agents = new Map<string, http.Agent>();
  const transport: Transport = async (request) => {
    const url = new URL(request.url);
    const { request: open, Agent } = await moduleFor(url);
    const agent = agents.get(url.protocol) ?? new Agent({ keepAlive: true });
    agents.set(url.protocol, agent);
    return await new Promise<TransportAnswer>((resolve, reject) => {
      const lost = (error: Error): void => {
        if (request.signal?.aborted) reject(asError(request.signal.reason));
        else reject(new ConnectionLost(error.message, isRefusal(error), { cause: error }));
      };
      const outgoing = open(url, {
        agent,
        method: request.method,
        headers: { ...request.headers, ...lengthOf(request.body) },
        ...(request.signal ? { signal: request.signal } : {}),
        ...(request.timeoutMs === undefined ? {} : { timeout: request.timeoutMs }),
      });
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', lost);
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks) });
        });
      });
      outgoing.on('error', lost);
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.end(request.body);
    });
  };
  return Object.assign(transport, {
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  });
}

async function moduleFor(url: URL): Promise<Pick<typeof http, 'request' | 'Agent'>> {
  if (url.protocol === 'http:') return http;
  if (url.protocol === 'https:') return await import('node:https');
  throw new TypeError(`a daemon is reached over http: or https:, not ${url.protocol}`);
}

/** By default Node sends no length for the body of a DELETE, and the daemon would not read it. */
function lengthOf(body: string | Uint8Array | undefined): { 'content-length'?: number } {
  return body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
}

const REFUSALS = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

function isRefusal(error: NodeJS.ErrnoException): boolean {
  return error.code !== undefined && REFUSALS.has(error.code);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}
