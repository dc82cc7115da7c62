import type { Socket } from 'node:net';

const STALL_MS = 30_000;

/** Resolves when the other side has received everything; rejects when it stalls or disconnects. */
export function socketDrained(socket: Socket): Promise<void> {
  if (!socket.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const done = (error?: Error): void => {
      clearTimeout(timer);
      socket.off('drain', onDrain).off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onDrain = (): void => {
      done();
    };
    const onClose = (): void => {
      done(new Error('the stream closed while catching up'));
    };
    const timer = setTimeout(() => {
      done(new Error('the reader stalled while catching up'));
    }, STALL_MS);
    socket.once('drain', onDrain).once('close', onClose);
  });
}
