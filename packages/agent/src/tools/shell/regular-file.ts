import { constants, promises as fs } from 'node:fs';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file for reading where it stands: a link is not followed, and nothing that is no file is waited
 * for. Rejects with ELOOP for both.
 */
export async function openRegularFile(path: string): Promise<fs.FileHandle> {
  const handle = await fs.open(path, READ).catch((error: unknown) => {
    // A socket cannot even be opened.
    throw (error as NodeJS.ErrnoException).code === 'ENXIO' ? noFile(path) : error;
  });
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw noFile(path);
}

const noFile = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`ELOOP: ${path} is no file`), { code: 'ELOOP' });

/** At most so many bytes of its beginning, as text. */
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
