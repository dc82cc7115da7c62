import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@stoa/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskMemoryFiles } from './memory-files.js';

let root: string;
let memory: string;
let secret: string;
let files: DiskMemoryFiles;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stoa-memory-files-'));
  memory = join(root, 'memory');
  secret = join(root, 'secret.md');
  writeFileSync(secret, 'the token');
  files = new DiskMemoryFiles(memory);
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('the files of memories', () => {
  it('are readable by this user only, and read as people edited them', async () => {
    expect(await files.read('ops-1')).toEqual({ files: [], problems: [] });
    await files.write('ops-1', 'deploy.md', 'first');
    await files.write('ops-1', 'deploy.md', 'second');
    const path = join(memory, 'ops-1', 'deploy.md');
    expect([statSync(path).mode & 0o777, statSync(join(memory, 'ops-1')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    writeFileSync(path, 'edited');
    writeFileSync(join(memory, 'ops-1', 'On Call.md'), 'Ada');
    const read = await files.read('ops-1');
    expect(read.files.map(({ name, text }) => [name, text])).toEqual([
      ['On Call.md', 'Ada'],
      ['deploy.md', 'edited'],
    ]);
    expect(await files.remove('ops-1', 'deploy.md')).toBe(true);
    expect(await files.remove('ops-1', 'deploy.md')).toBe(false);
    await files.clear('ops-1');
    expect(existsSync(join(memory, 'ops-1'))).toBe(false);
  });

  it('T-39 are never reached through a link, a pipe or a path', async () => {
    mkdirSync(join(memory, 'ops-1'), { recursive: true });
    symlinkSync(secret, join(memory, 'ops-1', 'linked.md'));
    execFileSync('mkfifo', [join(memory, 'ops-1', 'pipe.md')]);
    mkdirSync(join(memory, 'ops-1', 'folder.md'));
    symlinkSync(root, join(memory, 'ops-2'));
    const { files: read, problems } = await files.read('ops-1');
    expect(read).toEqual([]);
    expect(problems).toEqual([
      { name: 'folder.md', problem: expect.stringContaining('not a plain file') as string },
      { name: 'linked.md', problem: 'a link' },
      { name: 'pipe.md', problem: expect.stringContaining('not a plain file') as string },
    ]);
    await expect(files.write('ops-1', 'linked.md', 'x')).rejects.toThrow('not a plain file');
    await expect(files.write('ops-2', 'secret.md', 'x')).rejects.toThrow('a link');
    await expect(files.read('ops-2')).rejects.toThrow('a link');
    await expect(files.remove('ops-2', 'secret.md')).rejects.toThrow('a link');
    for (const name of ['../secret.md', '/etc/passwd', '..', '.hidden.md', 'a/b.md', 'a\0.md', 'x'])
      await expect(files.write('ops-1', name, 'x')).rejects.toThrow('not a name');
    for (const directory of ['..', '../ops', '', '.'])
      await expect(files.read(directory)).rejects.toThrow('no name of a memory');
    expect(readFileSync(secret, 'utf8')).toBe('the token');
    await files.clear('ops-2');
    expect([existsSync(secret), lstatSync(memory).isDirectory()]).toEqual([true, true]);
  });

  it('that cannot be used are reported and skipped', async () => {
    await files.write('ops-1', 'good.md', 'good');
    const folder = join(memory, 'ops-1');
    writeFileSync(join(folder, 'big.md'), 'x'.repeat(LIMITS.memoryFileBytes + 1));
    writeFileSync(join(folder, 'binary.md'), Buffer.from([0xff, 0xfe, 0x80]));
    writeFileSync(join(folder, 'notes.txt'), 'x');
    writeFileSync(join(folder, '.good.md.swp'), 'x');
    const { files: read, problems } = await files.read('ops-1');
    expect(read.map(({ name }) => name)).toEqual(['good.md']);
    expect(problems.map(({ name }) => name)).toEqual(['big.md', 'binary.md', 'notes.txt']);
    await expect(
      files.write('ops-1', 'good.md', 'x'.repeat(LIMITS.memoryFileBytes + 1)),
    ).rejects.toThrow('too large');
    expect((await files.read('ops-1')).files[0]?.text).toBe('good');
  });
});
