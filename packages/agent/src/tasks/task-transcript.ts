import { constants, promises as fs } from 'node:fs';
import { dirname } from 'node:path';

const APPEND =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

/**
 * Adds a line to what is written down of a task. A link in its place is not followed, and nothing that is no
 * file is waited for.
 */
export async function appendToTranscript(
  path: string,
  line: Readonly<Record<string, unknown>>,
): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await fs.open(path, APPEND, 0o600);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is no file`);
    await file.write(`${JSON.stringify(line)}\n`);
  } finally {
    await file.close();
  }
}
