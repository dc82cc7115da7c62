/** A failure that a model can act on. Any other exception of a tool is a defect. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** Describes a failed system call about `subject`. Throws the error itself if it is none. */
export function toToolFailure(error: unknown, subject: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const known = code === undefined ? undefined : MEANINGS[code];
  if (known === undefined) throw error;
  return new ToolFailure(`${subject}: ${known} (${String(code)})`);
}

/** Turns failed system calls of `work` into ToolFailures. */
export async function withToolFailures<T>(subject: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toToolFailure(error, subject);
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'it exists already',
  ELOOP: 'it is a link, or became one',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file is too large',
  EMFILE: 'too many files are open',
  ENXIO: 'it cannot be opened as a file',
  ETXTBSY: 'it is being executed',
};
