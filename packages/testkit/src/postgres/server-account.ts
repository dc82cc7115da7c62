import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whom a server runs as: PostgreSQL refuses to run as root. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Undefined: the current account. Root runs the server as `nobody`, so that no account is created. */
export function serverAccount(): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

/** Whether every account may pass through the directories above and read this one. */
export function isOpenToAnybody(path: string): boolean {
  const READ_AND_ENTER = 0o005;
  const ENTER = 0o001;
  if ((statSync(path).mode & READ_AND_ENTER) !== READ_AND_ENTER) return false;
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    if ((statSync(parent).mode & ENTER) !== ENTER) return false;
    if (parent === dirname(parent)) return true;
  }
}
