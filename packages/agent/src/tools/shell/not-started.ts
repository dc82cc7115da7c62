import { ToolFailure } from '../tool-failure.js';

/** The system refused to start a command. Nothing of it is left. */
export class CommandNotStarted extends ToolFailure {}

/** Why a shell could not be started. There is always a shell: what is not there is the directory. */
export function notStartedReason(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? message;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'its directory is not there (ENOENT)',
  ENOTDIR: 'its directory is none (ENOTDIR)',
  EACCES: 'its directory may not be entered (EACCES)',
  E2BIG: 'the command is longer than the system takes (E2BIG)',
  EAGAIN: 'no more processes can be started (EAGAIN)',
  ENOMEM: 'there is not enough memory (ENOMEM)',
  EMFILE: 'too many files are open (EMFILE)',
  ENFILE: 'too many files are open (ENFILE)',
};
