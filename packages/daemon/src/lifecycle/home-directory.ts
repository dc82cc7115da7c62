import { accessSync, chmodSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoaError } from '@stoa/protocol';
import { secrets } from '../ports/secrets.js';
import { makeDirectory } from './make-directory.js';

/** Creates the data directory, readable by this user only. */
export function prepareHome(home: string): void {
  try {
    makeDirectory(home);
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoaError(
      'data_directory_unusable',
      `${home} cannot be used: ${why}. Set STOA_HOME to a directory you may write to.`,
      [],
      { cause: error },
    );
  }
}

/** The owner's token: created once, readable by this user only, required on loopback too. */
export function ownerToken(home: string): string {
  return keptSecret(join(home, 'token'), () => `stoa_owner_${secrets.generate()}`);
}

function keptSecret(path: string, make: () => string): string {
  const known = readSecret(path);
  if (known !== undefined) {
    chmodSync(path, 0o600);
    return known;
  }
  const secret = make();
  // Complete or absent: a start that is killed here must not leave a file that no start accepts.
  const partial = `${path}.partial`;
  writeFileSync(partial, `${secret}\n`, { mode: 0o600 });
  renameSync(partial, path);
  return secret;
}

/** The keys of browser logins are derived from it. It is not part of a backup. */
export function browserKey(home: string): string {
  return keptSecret(join(home, 'browser.key'), () => secrets.generate());
}

function readSecret(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StoaError('data_directory_unusable', `${path} cannot be read: ${String(error)}`, [], {
      cause: error,
    });
  }
  if (/^[\x21-\x7e]{32,200}$/.test(text)) return text;
  throw new StoaError(
    'data_directory_unusable',
    `${path} does not hold a secret; remove it and a new one is made`,
  );
}
