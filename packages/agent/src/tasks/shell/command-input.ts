import { constants, promises as fs } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const WRITE = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** How long a command may leave a full pipe unread. */
const TIMEOUT_MS = 2_000;
const POLL_MS = 10;

type Delivery =
  | { readonly type: 'delivered' }
  /** No process reads the pipe. */
  | { readonly type: 'closed' }
  /** It did not read fast enough, and got only this many bytes. */
  | { readonly type: 'partly'; readonly bytes: number; readonly of: number };

/** Writes to the named pipe of a command. Waits for a command that has just started. */
export async function writeInput(
  path: string,
  text: string,
  isOver: () => boolean,
): Promise<Delivery> {
  const deadline = performance.now() + TIMEOUT_MS;
  let pipe = await openPipe(path);
  while (!pipe && !isOver() && performance.now() < deadline) {
    await sleep(POLL_MS);
    pipe = await openPipe(path);
  }
  if (!pipe) return { type: 'closed' };
  try {
    return await writeAll(pipe, Buffer.from(text));
  } finally {
    await pipe.close();
  }
}

async function openPipe(path: string): Promise<fs.FileHandle | undefined> {
  let pipe: fs.FileHandle;
  try {
    pipe = await fs.open(path, WRITE);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENXIO', 'ENOENT', 'ELOOP'].includes(code)) return undefined;
    throw error;
  }
  if ((await pipe.stat()).isFIFO()) return pipe;
  await pipe.close();
  return undefined;
}

async function writeAll(pipe: fs.FileHandle, bytes: Buffer): Promise<Delivery> {
  let written = 0;
  let deadline = performance.now() + TIMEOUT_MS;
  while (written < bytes.length) {
    try {
      written += (await pipe.write(bytes, written)).bytesWritten;
      deadline = performance.now() + TIMEOUT_MS;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return { type: 'closed' };
      if (code !== 'EAGAIN') throw error;
      if (performance.now() > deadline) {
        return { type: 'partly', bytes: written, of: bytes.length };
      }
      await sleep(POLL_MS);
    }
  }
  return { type: 'delivered' };
}
