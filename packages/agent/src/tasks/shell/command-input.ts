import { constants, promises as fs } from 'node:fs';

const WRITE = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** How long a command may leave unread what fills its pipe. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 10;

export type Delivery =
  | { readonly type: 'delivered' }
  /** Nobody reads there. */
  | { readonly type: 'closed' }
  /** It did not read so fast: it got only this many of the bytes. */
  | { readonly type: 'partly'; readonly bytes: number; readonly of: number };

/** Writes to the named pipe that a command reads from. */
export async function writeInput(
  path: string,
  text: string,
  patienceMs = PATIENCE_MS,
): Promise<Delivery> {
  const pipe = await openPipe(path);
  if (!pipe) return { type: 'closed' };
  try {
    return await writeAll(pipe, Buffer.from(text), patienceMs);
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

async function writeAll(pipe: fs.FileHandle, bytes: Buffer, patienceMs: number): Promise<Delivery> {
  let written = 0;
  let deadline = performance.now() + patienceMs;
  while (written < bytes.length) {
    try {
      written += (await pipe.write(bytes, written)).bytesWritten;
      deadline = performance.now() + patienceMs;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return { type: 'closed' };
      if (code !== 'EAGAIN') throw error;
      if (performance.now() > deadline) {
        return { type: 'partly', bytes: written, of: bytes.length };
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
  return { type: 'delivered' };
}
