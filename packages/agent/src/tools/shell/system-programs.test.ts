import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { distrust, SystemPrograms } from './system-programs.js';

const NOT_ROOT = 'only root can make files of root';
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let root: string;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-programs-')));
  await fs.mkdir(join(root, 'bin'), { mode: 0o755 });
  await fs.writeFile(join(root, 'bin/head'), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => fs.rm(root, { recursive: true, force: true }));

describe('a program of the system', () => {
  it('SE-3 is used if only root can change it', async (context) => {
    expect(await distrust('/bin/sh')).toBeUndefined();
    if (!isRoot) context.skip(NOT_ROOT);
    const programs = new SystemPrograms({ directories: [join(root, 'bin')] });
    expect(await programs.find('head')).toEqual({ ok: true, path: join(root, 'bin/head') });
  });

  it.each<[string, () => Promise<void>, RegExp]>([
    [
      'a file of somebody else',
      () => fs.chown(join(root, 'bin/head'), NOBODY, 0),
      /bin\/head does/,
    ],
    [
      'a file that its group can write',
      () => fs.chmod(join(root, 'bin/head'), 0o775),
      /head can be/,
    ],
    [
      'a file that everybody can write',
      () => fs.chmod(join(root, 'bin/head'), 0o757),
      /head can be written by users other than root/,
    ],
    ['a directory that others can write', () => fs.chmod(join(root, 'bin'), 0o757), /bin can be/],
    ['a directory of somebody else', () => fs.chown(root, NOBODY, 0), /programs-\w+ does not/],
    [
      'a link into a directory that others can write',
      async () => {
        await fs.mkdir(join(root, 'open'));
        await fs.chmod(join(root, 'open'), 0o777);
        await fs.rename(join(root, 'bin/head'), join(root, 'open/head'));
        await fs.symlink('../open/head', join(root, 'bin/head'));
      },
      /open can be written/,
    ],
    [
      'links that form a cycle',
      async () => {
        await fs.rm(join(root, 'bin/head'));
        await fs.symlink('head', join(root, 'bin/head'));
      },
      /cycle/,
    ],
  ])('SE-3 is not used: %s', async (_, change, words) => {
    if (isRoot) await change();
    expect(await distrust(join(root, 'bin/head'))).toMatch(isRoot ? words : /belong to root/);
  });

  it('SE-3 is not used if an access list or a capability lets the user of the daemon write it', async (context) => {
    if (!isRoot) context.skip(NOT_ROOT);
    const user = vi.spyOn(process, 'getuid').mockReturnValue(1_000);
    try {
      expect(await distrust(join(root, 'bin/head'))).toMatch(
        /can be written by the user of the daemon/,
      );
    } finally {
      user.mockRestore();
    }
  });

  it('SE-3 is not used again after it was replaced, even by itself', async (context) => {
    if (!isRoot) context.skip(NOT_ROOT);
    const reported: string[] = [];
    const programs = new SystemPrograms({
      directories: [join(root, 'bin')],
      replaced: (problem) => reported.push(problem),
    });
    await programs.resolve();
    const original = join(root, 'bin/original');
    await fs.rename(join(root, 'bin/head'), original);
    await fs.writeFile(join(root, 'bin/head'), '#!/bin/sh\n: other\n', { mode: 0o755 });
    const path = join(root, 'bin/head');
    const problem = `${path} was replaced since the daemon started`;
    expect(await programs.find('head')).toEqual({ ok: false, problem, file: path });
    await fs.rename(original, path);
    expect(await programs.find('head')).toMatchObject({ ok: false });
    expect(reported).toEqual([problem]);
  });
});
