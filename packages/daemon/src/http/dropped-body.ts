import type { IncomingMessage } from 'node:http';

const LIMIT_BYTES = 64 * 1024 * 1024;
const LIMIT_MS = 10_000;

/**
 * Reads what is left of a body and drops it, within bounds: closing while the other side still sends
 * would reset the connection and cost it the answer.
 */
export function bodyDropped(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > LIMIT_BYTES) done();
    };
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, LIMIT_MS);
    request.on('data', count).once('end', done).once('close', done).resume();
  });
}
