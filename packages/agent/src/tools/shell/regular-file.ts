import { constants, promises as fs } from 'node:fs';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file for reading. Rejects with ELOOP for a link and for anything else that is not a regular file. */
export async function openRegularFile(path: string): Promise<fs.FileHandle> {
  const handle = await fs.open(path, READ).catch((error: unknown) => {
    // A socket cannot be opened.
    throw (error as NodeJS.ErrnoException).code === 'ENXIO' ? notAFile(path) : error;
  });
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw notAFile(path);
}

const notAFile = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`ELOOP: ${path} is not a regular file`), { code: 'ELOOP' });

/** The first `maxBytes` of a file as text. */
export async function readRegularFile(path: string, maxBytes: number): Promise<string> {
  const handle = await openRegularFile(path);
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
