import { constants, promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInside, PathGuard } from './paths.js';

let root: string;
let guard: PathGuard;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-paths-')));
  for (const name of ['workspace/src', 'home', 'other']) {
    await fs.mkdir(join(root, name), { recursive: true });
  }
  await fs.writeFile(join(root, 'home/token'), 'secret');
  await fs.writeFile(join(root, 'other/notes'), 'notes');
  guard = await PathGuard.create({ workspace: join(root, 'workspace'), home: join(root, 'home') });
});
afterEach(() => fs.rm(root, { recursive: true, force: true }));

const inWorkspace = (path: string): string => join(root, 'workspace', path);
const read = async (given: string): Promise<string> => {
  const handle = await guard.openFile(await guard.locate(given), constants.O_RDONLY);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
};

describe('where a path leads', () => {
  it.each([
    ['src', 'workspace/src', true],
    ['.', 'workspace', true],
    ['src/../src/new/file.ts', 'workspace/src/new/file.ts', true],
    ['../other/notes', 'other/notes', false],
    ['src/../../other', 'other', false],
    ['../workspace-2/x', 'workspace-2/x', false],
  ])('R-17 %s leads to %s', async (given, path, insideWorkspace) => {
    expect(await guard.locate(given)).toMatchObject({ path: join(root, path), insideWorkspace });
  });

  it('R-17 an absolute path is treated like any other', async () => {
    expect(await guard.locate('/etc/hosts')).toMatchObject({ insideWorkspace: false });
    expect(await guard.locate(inWorkspace('a'))).toMatchObject({ insideWorkspace: true });
  });

  it('R-17 a link counts as its target, even in the middle of a path', async () => {
    await fs.symlink(join(root, 'other'), inWorkspace('out'));
    await fs.symlink('src', inWorkspace('in'));
    expect(await guard.locate('out/notes')).toMatchObject({
      path: join(root, 'other/notes'),
      insideWorkspace: false,
    });
    expect(await guard.locate('out/new/file')).toMatchObject({
      path: join(root, 'other/new/file'),
      insideWorkspace: false,
    });
    expect(await guard.locate('in/a.ts')).toMatchObject({
      path: inWorkspace('src/a.ts'),
      insideWorkspace: true,
    });
  });

  it('R-17 a broken or cyclic link is refused', async () => {
    await fs.symlink(join(root, 'other/later'), inWorkspace('broken'));
    await fs.symlink('circle', inWorkspace('circle'));
    expect((await guard.locate('broken')).refusal).toMatch(/broken link/);
    expect((await guard.locate('broken/below')).refusal).toMatch(/broken link/);
    expect((await guard.locate('circle')).refusal).toMatch(/cycle/);
  });

  it('a name with a NUL in it is refused', async () => {
    await expect(guard.locate('a\0b')).rejects.toThrow(/NUL/);
  });
});

describe('the data directory', () => {
  it.each([
    '../home/token',
    '../home',
    'src/../../home/token',
    '../home/not/there/yet',
    '/proc/self/root/HOME/token',
    '/proc/self/cwd/../HOME/token',
    '/proc/thread-self/root/HOME/token',
    '/proc/1/root/HOME/token',
  ])('R-41 is closed to %s', async (template) => {
    const given = template.replace('/HOME', join(root, 'home'));
    const located = await guard.locate(given);
    expect(located.refusal).toBeDefined();
    await expect(guard.openFile(located, constants.O_RDONLY)).rejects.toThrow(/closed to agents/);
    await expect(guard.openDirectory(located)).rejects.toThrow(/closed to agents/);
  });

  it('R-41 cannot be accessed through links', async () => {
    await fs.symlink(join(root, 'home'), inWorkspace('link'));
    await fs.symlink('../home/token', inWorkspace('direct'));
    await fs.symlink('link', inWorkspace('twice'));
    for (const given of ['link/token', 'direct', 'twice/token', 'link/new']) {
      expect(await guard.locate(given), given).toMatchObject({ insideHome: true });
      await expect(read(given), given).rejects.toThrow(/closed to agents/);
    }
  });

  it('R-41 cannot be accessed if its own path contains a link', async () => {
    await fs.symlink(join(root, 'home'), join(root, 'alias'));
    const aliased = await PathGuard.create({
      workspace: join(root, 'workspace'),
      home: join(root, 'alias'),
    });
    expect(await aliased.locate('../home/token')).toMatchObject({ insideHome: true });
    expect(await aliased.locate('../alias/token')).toMatchObject({ insideHome: true });
  });

  it('R-24 the environment and memory of the daemon cannot be accessed either', async () => {
    for (const given of ['/proc/self/environ', '/proc/self/mem', `/proc/${process.pid}/environ`]) {
      await expect(read(given), given).rejects.toThrow(/closed to agents/);
    }
  });
});

describe('opening what was located', () => {
  it('R-17 a link that replaces a file in between is not followed', async () => {
    await fs.writeFile(inWorkspace('file'), 'mine');
    const located = await guard.locate('file');
    await fs.rm(inWorkspace('file'));
    await fs.symlink(join(root, 'home/token'), inWorkspace('file'));
    await expect(guard.openFile(located, constants.O_RDONLY)).rejects.toMatchObject({
      code: 'ELOOP',
    });
  });

  it('R-17 a link that replaces a directory in between is not followed', async () => {
    await fs.writeFile(inWorkspace('src/token'), 'mine');
    const located = await guard.locate('src/token');
    await fs.rename(inWorkspace('src'), inWorkspace('moved'));
    await fs.symlink(join(root, 'home'), inWorkspace('src'));
    await expect(guard.openFile(located, constants.O_RDONLY)).rejects.toThrow();
    await fs.mkdir(inWorkspace('deep/src'), { recursive: true });
    await fs.writeFile(inWorkspace('deep/src/token'), 'mine');
    const deeper = await guard.locate('deep/src/token');
    await fs.rename(inWorkspace('deep'), inWorkspace('deep-2'));
    await fs.mkdir(join(root, 'home/src'));
    await fs.writeFile(join(root, 'home/src/token'), 'secret');
    await fs.symlink(join(root, 'home'), inWorkspace('deep'));
    await expect(guard.openFile(deeper, constants.O_RDONLY)).rejects.toThrow(/replaced/);
  });

  it('creates missing directories without following a link', async () => {
    const located = await guard.locate('a/b/c');
    const made = await guard.openDirectory(located, undefined, { create: true });
    await made.close();
    expect((await fs.stat(inWorkspace('a/b/c'))).isDirectory()).toBe(true);
    const later = await guard.locate('x/y/z');
    await fs.symlink(join(root, 'other'), inWorkspace('x'));
    await expect(guard.openDirectory(later, undefined, { create: true })).rejects.toThrow();
    expect(await fs.readdir(join(root, 'other'))).toEqual(['notes']);
  });

  it('a pipe is not a file, and does not block the call', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [inWorkspace('pipe')]);
    await expect(read('pipe')).rejects.toThrow(/not a plain file/);
    await expect(read('src')).rejects.toThrow(/is a directory/);
  });

  it('reads what was located', async () => {
    await fs.writeFile(inWorkspace('src/a'), 'text');
    expect(await read('src/a')).toBe('text');
    expect(await read('../other/notes')).toBe('notes');
  });
});

it('a directory does not contain paths that only begin with its name', () => {
  expect(isInside('/a/b', '/a/b')).toBe(true);
  expect(isInside('/a/b/c', '/a/b')).toBe(true);
  expect(isInside('/a/bc', '/a/b')).toBe(false);
  expect(isInside('/a', '/')).toBe(true);
});

describe('the readable part of the data directory', () => {
  const own = (): string => join(root, 'home/tasks/ses_own');
  const withOwn = (): Promise<PathGuard> =>
    PathGuard.create({
      workspace: join(root, 'workspace'),
      home: join(root, 'home'),
      readable: own(),
    });

  it('T-40 is the directory of the tasks of the session', async () => {
    await fs.mkdir(own(), { recursive: true });
    await fs.writeFile(join(own(), 'out'), 'output');
    const reading = await withOwn();
    const located = await reading.locate(join(own(), 'out'));
    expect(located).toMatchObject({ insideWorkspace: true, insideHome: false });
    expect(located.refusal).toBeUndefined();
    expect(reading.isReserved(join(own(), 'out'))).toBe(false);
    for (const other of ['home/tasks/ses_other/out', 'home/tasks', 'home/token']) {
      expect(await reading.locate(join(root, other))).toHaveProperty('refusal');
      expect((await reading.locate(join(root, other))).refusal).toContain('closed to agents');
    }
    expect((await guard.locate(join(own(), 'out'))).refusal).toContain('closed to agents');
  });

  it('T-40 is not the target of a link that replaces it', async () => {
    await fs.mkdir(join(root, 'home/tasks'), { recursive: true });
    await fs.symlink(join(root, 'home'), own());
    const reading = await withOwn();
    expect((await reading.locate(join(own(), 'token'))).refusal).toContain('closed to agents');
  });
});
