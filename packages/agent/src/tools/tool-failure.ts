/** Something did not work, said in words a model can act on. Whatever else a tool throws is a defect. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** What a failed system call means, in words. */
export function inWords(error: unknown, what: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const known = code === undefined ? undefined : WORDS[code];
  if (known === undefined) throw error;
  return new ToolFailure(`${what}: ${known} (${String(code)})`);
}

const WORDS: Readonly<Record<string, string>> = {
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
