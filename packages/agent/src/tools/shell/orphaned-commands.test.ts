import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from './child-environment.js';
import { startCommand } from './command.js';
import { CommandFiles } from './command-files.js';
import { removeOrphanedFiles } from './orphaned-commands.js';
import { Sandbox } from './sandbox.js';

let root: string;
let tasks: string;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-orphaned-')));
  tasks = join(root, 'tasks');
  await fs.mkdir(join(tasks, 'ses_1'), { recursive: true });
});
afterEach(() => fs.rm(root, { recursive: true, force: true }));

const leave = async (name: string): Promise<string> => {
  const path = join(tasks, 'ses_1', name);
  await fs.writeFile(path, 'left');
  return path;
};
const exists = (path: string): Promise<boolean> =>
  fs.access(path).then(
    () => true,
    () => false,
  );

describe('files that commands of a killed daemon left', () => {
  it('are removed completely, with the directory of the session', async () => {
    for (const part of ['intent', 'intent.new', 'status', 'status.new', 'output', 'output.2']) {
      await leave(`shell-sh_0123abcd.${part}`);
    }
    await removeOrphanedFiles(tasks);
    expect(await fs.readdir(tasks)).toEqual([]);
  });

  it('are the only files that are removed', async () => {
    const others = [await leave('notes.txt'), await leave('shell-other.output')];
    await leave('shell-sh_0123abcd.output');
    const elsewhere = join(root, 'elsewhere');
    await fs.mkdir(elsewhere);
    await fs.writeFile(join(elsewhere, 'shell-sh_0123abcd.output'), 'not ours');
    await fs.symlink(elsewhere, join(tasks, 'ses_2'));
    await removeOrphanedFiles(tasks);
    for (const path of others) expect(await exists(path), path).toBe(true);
    expect(await fs.readdir(join(tasks, 'ses_1'))).toHaveLength(others.length);
    expect(await exists(join(elsewhere, 'shell-sh_0123abcd.output'))).toBe(true);
  });

  it('T-16 are kept if they belong to a stored task of any kind', async () => {
    const [kept, gone] = [`tsk_${'0'.repeat(26)}`, `tsk_${'1'.repeat(26)}`];
    const names = (id: string): string[] =>
      ['intent', 'status', 'output', 'output.3', 'input', 'jsonl'].flatMap((part) => [
        `shell-${id}.${part}`,
        `monitor-${id}.${part}`,
      ]);
    for (const name of [...names(kept), ...names(gone)]) await leave(name);
    await removeOrphanedFiles(tasks, (taskId) => taskId === kept);
    expect((await fs.readdir(join(tasks, 'ses_1'))).sort()).toEqual(names(kept).sort());
  });

  it('are removed if possible, and others are ignored', async () => {
    await leave('shell-sh_0123abcd.intent');
    await fs.mkdir(join(tasks, 'ses_1', 'shell-sh_0123abcd.output'));
    await leave('shell-sh_4567abcd.output');
    await removeOrphanedFiles(tasks);
    expect(await fs.readdir(join(tasks, 'ses_1'))).toEqual(['shell-sh_0123abcd.output']);
  });

  it('are kept while the command runs', async () => {
    const running = await startCommand({
      command: 'echo here; sleep 60',
      cwd: root,
      directory: join(tasks, 'ses_1'),
      environment: childEnvironment(process.env),
      sandbox: new Sandbox({ home: root, bubblewrap: null }),
    });
    try {
      const files = new CommandFiles(join(tasks, 'ses_1'), running.id);
      await until('it runs', async () => (await files.state(running.nonce)).type === 'running');
      await until('it has printed something', () => exists(running.outputPath));
      await removeOrphanedFiles(tasks);
      expect(await exists(running.outputPath)).toBe(true);
    } finally {
      await running.stop('test');
    }
    await removeOrphanedFiles(tasks);
    expect(await fs.readdir(tasks)).toEqual([]);
  });

  it('need not exist', async () => {
    await removeOrphanedFiles(join(root, 'nowhere'));
    expect(await exists(join(root, 'nowhere'))).toBe(false);
  });
});
