import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory } from './make-directory.js';

describe('making a directory', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'stoa-make-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('creates its parents too, for this user only, and can be repeated', () => {
    const path = join(root, 'a/b/c');
    for (let i = 0; i < 2; i++) makeDirectory(path);
    for (const each of ['a', 'a/b', 'a/b/c']) {
      expect(statSync(join(root, each)).mode & 0o777).toBe(0o700);
    }
  });

  it('refuses a file or a dangling link with its name', () => {
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    expect(() => makeDirectory(join(root, 'file'))).toThrow('is not a directory');
    expect(() => makeDirectory(join(root, 'file/below'))).toThrow('ENOTDIR');
    expect(() => makeDirectory(join(root, 'link'))).toThrow('EEXIST');
    expect(() => makeDirectory(join(root, 'link/below'))).toThrow('EEXIST');
  });

  it('fails if nobody can create one', (test) => {
    if (!existsSync('/proc/self')) test.skip('there is no /proc here');
    expect(() => makeDirectory('/proc/stoa/below')).toThrow('ENOENT');
  });
});
