import { execFile } from 'node:child_process';
import { constants, promises as fs } from 'node:fs';

let shell: Promise<string> | undefined;

/** Bash where there is one: it is what models write for. */
export function shellPath(): Promise<string> {
  shell ??= fs.access('/bin/bash', constants.X_OK).then(
    () => '/bin/bash',
    () => '/bin/sh',
  );
  return shell;
}

let library: Promise<string> | undefined;

/**
 * What `stdbuf` has a program load, so that not every command has to start `stdbuf` too. Empty where it
 * is not there or works in another way.
 */
export function unbufferingLibrary(): Promise<string> {
  library ??= new Promise((resolve) => {
    execFile('stdbuf', ['-o0', 'env'], { env: PLAIN }, (_, stdout) => {
      resolve(/^LD_PRELOAD=(\/.*)$/m.exec(stdout)?.[1] ?? '');
    });
  });
  return library;
}

const PLAIN = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
