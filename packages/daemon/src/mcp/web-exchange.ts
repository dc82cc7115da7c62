import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SECRET_HEADERS = new Set(['authorization', 'stoa-access-token', 'cookie']);

/** The request without its body, which was read and parsed already. */
export function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // The secret has done its work.
    if (value === undefined || SECRET_HEADERS.has(name)) continue;
    headers.set(name, String(value));
  }
  const url = new URL(request.url, `http://${request.headers.host ?? 'localhost'}`);
  return new Request(url, { method: request.method, headers, signal });
}

/** Resolves when the answer has been sent, or cannot be any more. */
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
  // A stream that stays open would keep its connection from being used, and the daemon from ending.
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
