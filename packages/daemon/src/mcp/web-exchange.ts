import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SECRET_HEADERS = new Set(['authorization', 'stoa-access-token', 'cookie']);

/** The request without its body, which is already parsed. */
export function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // The secret is no longer needed.
    if (value === undefined || SECRET_HEADERS.has(name)) continue;
    headers.set(name, String(value));
  }
  const url = new URL(request.url, `http://${request.headers.host ?? 'localhost'}`);
  return new Request(url, { method: request.method, headers, signal });
}

/** Resolves when the answer has been sent, or can no longer be sent. */
export async function sendWebResponse(
  response: Response,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  reply.code(response.status);
  response.headers.forEach((value, name) => {
    reply.header(name, value);
  });
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  if (response.body === null || !isStream) return reply.send(await response.text());
  // An open stream would block its connection, and the end of the daemon.
  reply.header('X-Accel-Buffering', 'no');
  const body = Readable.fromWeb(response.body);
  const cut = (): void => {
    body.destroy();
  };
  signal.addEventListener('abort', cut, { once: true });
  const sent = new Promise<void>((resolve) => {
    body.once('close', resolve);
  });
  void reply.send(body);
  await sent;
  signal.removeEventListener('abort', cut);
  return reply;
}
