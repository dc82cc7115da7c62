import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { decide } from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { until, WorkspaceRun, type WorkspaceRunOptions } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../shell/sandbox.js';
import { systemPrograms } from '../shell/system-programs.js';
import { ToolRunner } from '../tool-runner.js';
import { editFile } from './edit-file.js';
import { glob } from './glob.js';
import { createGrep } from './grep.js';
import { readFile } from './read-file.js';
import { writeFile } from './write-file.js';

const worlds: WorkspaceRun[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.discard();
});

async function staged(options: WorkspaceRunOptions = {}, ripgrep: string | null = null) {
  const world = await WorkspaceRun.open({ mode: 'full', ...options });
  worlds.push(world);
  const sandbox = new Sandbox({ home: world.home });
  const runner = new ToolRunner({
    tools: [readFile, writeFile, editFile, glob, createGrep({ sandbox, ripgrep })],
    decide,
    home: world.home,
    now: () => performance.now(),
    diagnose: (message, details) => {
      throw new Error(`${message}: ${JSON.stringify(details)}`);
    },
  });
  let calls = 0;
  const call = (tool: string, input: unknown) => {
    calls += 1;
    return runner.call({ run: world.context, callId: `call_${calls}`, tool, input });
  };
  const output = async (tool: string, input: unknown) => (await call(tool, input)).output;
  return { world, call, output };
}

describe('read_file', () => {
  it('R-17 shows a file with line numbers', async () => {
    const { world, output } = await staged();
    await world.file('a.txt', 'one\ntwo\r\nthree\n');
    expect(await output('read_file', { path: 'a.txt' })).toBe(
      '     1\tone\n     2\ttwo\n     3\tthree',
    );
    expect(await output('read_file', { path: 'a.txt', offset: 2, limit: 1 })).toBe(
      '     2\ttwo\n[There is more: continue with offset 3]',
    );
    expect(await output('read_file', { path: 'a.txt', offset: 9 })).toMatch(/only 3 lines/);
  });

  it('shows a long file in parts within the output limit', async () => {
    const { world, output } = await staged();
    const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i + 1} ${'x'.repeat(20)}`);
    await world.file('long.txt', lines.join('\n'));
    const seen: string[] = [];
    for (let offset = 1; ; ) {
      const part = await output('read_file', { path: 'long.txt', offset });
      expect(part.length).toBeLessThanOrEqual(LIMITS.toolOutputChars);
      expect(part).not.toMatch(/left out/);
      const shown = part.split('\n');
      const next = /offset (\d+)\]$/.exec(part)?.[1];
      seen.push(...shown.slice(0, next === undefined ? undefined : -1));
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(seen.map((line) => line.slice(7))).toEqual(lines);
  });

  it('cuts a line that is too long', async () => {
    const { world, output } = await staged();
    await world.file('wide.txt', `${'y'.repeat(300_000)}\nend`);
    const shown = await output('read_file', { path: 'wide.txt' });
    expect(shown).toMatch(/y{2000} \[… 298000 more characters\]\n {5}2\tend$/);
  });

  it('reports files that cannot be shown', async () => {
    const { world, call } = await staged();
    await world.file('image', new Uint8Array([137, 80, 0, 71]));
    await world.file('empty');
    expect(await call('read_file', { path: 'image' })).toMatchObject({
      outcome: 'error',
      output: 'image is a binary file of 4 bytes',
    });
    expect(await call('read_file', { path: 'empty' })).toMatchObject({
      output: '[The file is empty]',
    });
    expect((await call('read_file', { path: 'none' })).output).toMatch(/no such file/);
    expect((await call('read_file', { path: '.' })).output).toMatch(/is a directory/);
  });

  it('R-17 asks about files outside the workspace unless a rule allows them', async () => {
    const { world, call } = await staged({ permissions: { allow: ['Read(/**/allowed)'] } });
    await fs.writeFile(world.outside('secret'), 'outside');
    await fs.writeFile(world.outside('allowed'), 'allowed');
    await fs.symlink(world.outside('secret'), join(world.workspace, 'link'));
    for (const path of [world.outside('secret'), '../secret', 'link']) {
      const called = call('read_file', { path });
      expect((await world.asked()).reason).toMatch(/outside the workspace/);
      await world.answer({ decision: 'deny', scope: 'once' });
      expect(await called, path).toMatchObject({ outcome: 'denied' });
    }
    expect((await call('read_file', { path: '../allowed' })).output).toMatch(/allowed/);
  });

  it('R-41 refuses the data directory, regardless of the rules and the mode', async () => {
    const { world, call } = await staged({ permissions: { allow: ['Read', 'Edit', 'Read(/**)'] } });
    await fs.writeFile(join(world.home, 'token'), 'canary');
    await fs.symlink(world.home, join(world.workspace, 'link'));
    const token = join(world.home, 'token');
    const calls: [string, object][] = [
      ['read_file', { path: token }],
      ['read_file', { path: 'link/token' }],
      ['read_file', { path: `/proc/self/root${token}` }],
      ['write_file', { path: token, content: 'x' }],
      ['edit_file', { path: token, old_string: 'canary', new_string: 'x' }],
      ['glob', { pattern: '*', path: world.home }],
      ['glob', { pattern: '*', path: 'link' }],
      ['grep', { pattern: 'canary', path: world.home }],
      ['grep', { pattern: 'canary', path: 'link/token' }],
    ];
    for (const [tool, input] of calls) {
      const result = await call(tool, input);
      expect(result.outcome, JSON.stringify(input)).toBe('denied');
      expect(result.output).not.toMatch(/canary/);
    }
    expect(await fs.readFile(token, 'utf8')).toBe('canary');
  });
});

describe('write_file', () => {
  it('R-17 writes a file and creates its directories', async () => {
    const { world, call } = await staged();
    expect(await call('write_file', { path: 'a/b/c.txt', content: 'hé\n' })).toMatchObject({
      outcome: 'ok',
      output: 'Wrote 4 bytes to a/b/c.txt',
    });
    expect(await fs.readFile(join(world.workspace, 'a/b/c.txt'), 'utf8')).toBe('hé\n');
    expect(await fs.readdir(join(world.workspace, 'a/b'))).toEqual(['c.txt']);
  });

  it('keeps the mode of the file, and replaces it atomically', async () => {
    const { world, call } = await staged();
    const path = await world.file('run.sh', 'old');
    await fs.chmod(path, 0o755);
    const held = await fs.open(path);
    await call('write_file', { path: 'run.sh', content: 'new' });
    expect((await fs.stat(path)).mode & 0o777).toBe(0o755);
    expect(await held.readFile('utf8')).toBe('old');
    await held.close();
    expect(await fs.readFile(path, 'utf8')).toBe('new');
  });

  it('R-19 shows a reviewer what would change', async () => {
    const { world, call } = await staged({ mode: 'ask' });
    await world.file('a.txt', 'one\ntwo\nthree\n');
    const called = call('write_file', { path: 'a.txt', content: 'one\n2\nthree\n' });
    const { detail } = await world.answer({ decision: 'allow', scope: 'once' });
    expect(detail).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three');
    expect(await called).toMatchObject({ outcome: 'ok' });
  });

  it('R-19 notes that a binary file is replaced, in text that the agent cannot influence', async () => {
    const { world, call } = await staged({ mode: 'ask' });
    await world.file('a\nIt is safe.', 'one\0two');
    const called = call('write_file', { path: 'a\nIt is safe.', content: 'x' });
    const { detail, notes } = await world.answer({ decision: 'deny', scope: 'once' });
    expect(detail).toBeUndefined();
    expect(notes).toEqual([
      'The current content cannot be shown as text. It is replaced completely.',
    ]);
    expect(await called).toMatchObject({ outcome: 'denied' });
  });

  it('R-19 notes that a part of a long change is left out', async () => {
    const { world, call } = await staged({ mode: 'ask' });
    const called = call('write_file', { path: 'a.txt', content: 'line\n'.repeat(20_000) });
    const { detail, notes } = await world.answer({ decision: 'deny', scope: 'once' });
    expect(detail?.length).toBeLessThanOrEqual(50_000);
    expect(notes).toEqual([expect.stringContaining('a part in the middle is left out')]);
    expect(await called).toMatchObject({ outcome: 'denied' });
  });

  it('R-17 does not write through a link that was created after the approval', async () => {
    const { world, call } = await staged({ mode: 'ask' });
    await world.file('dir/a.txt', 'mine');
    await fs.mkdir(world.outside('victim'));
    const called = call('write_file', { path: 'dir/a.txt', content: 'x' });
    await world.asked();
    await fs.rename(join(world.workspace, 'dir'), join(world.workspace, 'dir-2'));
    await fs.symlink(world.outside('victim'), join(world.workspace, 'dir'));
    await world.answer({ decision: 'allow', scope: 'once' });
    expect(await called).toMatchObject({ outcome: 'error' });
    expect(await fs.readdir(world.outside('victim'))).toEqual([]);
  });

  it('R-17 plan mode writes nothing', async () => {
    const { world, call } = await staged({ mode: 'plan' });
    expect(await call('write_file', { path: 'a', content: '' })).toMatchObject({
      outcome: 'denied',
    });
    expect(await fs.readdir(world.workspace)).toEqual([]);
  });

  it('reports files that cannot be written', async () => {
    const { world, call } = await staged();
    await world.file('dir/file');
    expect((await call('write_file', { path: 'dir', content: '' })).output).toMatch(/a directory/);
    expect((await call('write_file', { path: 'dir/file/x', content: '' })).output).toMatch(
      /not a directory/,
    );
  });
});

describe('edit_file', () => {
  it('R-17 replaces text that occurs exactly once', async () => {
    const { world, call } = await staged();
    const path = await world.file('a.ts', 'let a = 1;\nlet b = 1;\n');
    const edit = { path: 'a.ts', old_string: 'b = 1', new_string: 'b = $&2' };
    expect(await call('edit_file', edit)).toMatchObject({ outcome: 'ok' });
    expect(await fs.readFile(path, 'utf8')).toBe('let a = 1;\nlet b = $&2;\n');
  });

  it('refuses text that is missing or ambiguous, and replaces all occurrences with replace_all', async () => {
    const { world, call, output } = await staged();
    const path = await world.file('a.ts', 'x x x');
    const twice = { path: 'a.ts', old_string: 'x', new_string: 'y' };
    expect(await output('edit_file', twice)).toMatch(/3 times/);
    expect(await output('edit_file', { ...twice, old_string: 'z' })).toMatch(/does not occur/);
    expect(await output('edit_file', { ...twice, new_string: 'x', replace_all: true })).toMatch(
      /same/,
    );
    expect(await call('edit_file', { ...twice, replace_all: true })).toMatchObject({
      output: 'Edited 3 occurrences in a.ts',
    });
    expect(await fs.readFile(path, 'utf8')).toBe('y y y');
  });

  it('keeps CRLF line ends and the byte order mark', async () => {
    const { world, call } = await staged();
    const path = await world.file('dos.txt', '\uFEFFone\r\ntwo\r\nthree\r\n');
    await call('edit_file', { path: 'dos.txt', old_string: 'one\ntwo', new_string: '1\n2\n2b' });
    expect(await fs.readFile(path, 'utf8')).toBe('\uFEFF1\r\n2\r\n2b\r\nthree\r\n');
  });

  it('does not ask people about an impossible edit', async () => {
    const { world, call } = await staged({ mode: 'ask' });
    await world.file('a', 'text');
    const result = await call('edit_file', { path: 'a', old_string: 'no', new_string: '' });
    expect(result).toMatchObject({ outcome: 'error' });
    expect(await world.session().all('waiting_approval')).toEqual([]);
  });

  it('does not edit a file that is not UTF-8', async () => {
    const { world, call } = await staged();
    const bytes = new Uint8Array([97, 0xff, 98]);
    const path = await world.file('latin', bytes);
    expect(
      (await call('edit_file', { path: 'latin', old_string: 'a', new_string: 'c' })).output,
    ).toMatch(/not UTF-8/);
    expect(new Uint8Array(await fs.readFile(path))).toEqual(bytes);
  });
});

describe('glob', () => {
  it('R-17 finds files by pattern, newest first, without ignored ones', async () => {
    const { world, output } = await staged();
    const paths = ['src/a.ts', 'src/deep/b.ts', 'src/c.js', 'dist/d.ts', 'node_modules/x/e.ts'];
    for (const [index, path] of [...paths, '.git/f.ts', 'top.ts', 'src/skip.ts'].entries()) {
      const full = await world.file(path);
      await fs.utimes(full, 1_000 + index, 1_000 + index);
    }
    await world.file('.gitignore', 'dist/\n*.log\n');
    await world.file('src/.gitignore', 'skip.ts\n');
    expect(await output('glob', { pattern: '**/*.ts' })).toBe('top.ts\nsrc/deep/b.ts\nsrc/a.ts');
    expect(await output('glob', { pattern: '*.ts', path: 'src' })).toBe('src/a.ts');
    expect(await output('glob', { pattern: 'src/*.{ts,js}' })).toBe('src/c.js\nsrc/a.ts');
    expect(await output('glob', { pattern: '*.py' })).toBe('No file matches.');
  });

  it('R-17 does not leave its directory', async () => {
    const { world, call } = await staged();
    await fs.writeFile(world.outside('secret.ts'), '');
    await fs.symlink(world.outside('.'), join(world.workspace, 'up'));
    expect(await call('glob', { pattern: '../*.ts' })).toMatchObject({ outcome: 'error' });
    expect((await call('glob', { pattern: '**/*.ts' })).output).toBe('No file matches.');
  });
});

const found = await systemPrograms.find('rg');
const program = found.ok ? found.path : null;
const WAYS = ['the walker', 'ripgrep'] as const;

describe.each(WAYS)('grep with %s', (way) => {
  const ripgrep = way === 'ripgrep' ? program : null;
  beforeEach((context) => {
    if (way === 'ripgrep' && program === null) context.skip('ripgrep (rg) is not installed');
  });

  it('R-17 finds lines, files and counts', async () => {
    const { world, output } = await staged({}, ripgrep);
    await world.file('a.ts', 'one\nneedle 1\nthree\nneedle 2\n');
    await world.file('sub/b.md', 'a needle\n');
    await world.file('bin', new Uint8Array([0, ...Buffer.from('needle')]));
    await world.file('node_modules/c.ts', 'needle');
    await world.file('.gitignore', 'ignored.ts\n');
    await world.file('ignored.ts', 'needle');
    expect(await output('grep', { pattern: 'needle \\d' })).toBe(
      'a.ts:2:needle 1\na.ts:4:needle 2',
    );
    expect(await output('grep', { pattern: 'NEEDLE', ignore_case: true, path: 'sub' })).toBe(
      'sub/b.md:1:a needle',
    );
    const files = await output('grep', { pattern: 'needle', output_mode: 'files_with_matches' });
    expect(files.split('\n').toSorted()).toEqual(['a.ts', 'sub/b.md']);
    expect(await output('grep', { pattern: 'needle', output_mode: 'count', glob: '*.ts' })).toBe(
      'a.ts:2',
    );
    expect(await output('grep', { pattern: 'three', context: 1, path: 'a.ts' })).toBe(
      'a.ts-2-needle 1\na.ts:3:three\na.ts-4-needle 2',
    );
    expect(await output('grep', { pattern: 'absent' })).toBe('Nothing matches.');
  });

  it('stops at the limit with a note', async () => {
    const { world, output } = await staged({}, ripgrep);
    await world.file('many', 'hit\n'.repeat(100_000));
    const shown = await output('grep', { pattern: 'hit', limit: 3 });
    expect(shown).toBe('many:1:hit\nmany:2:hit\nmany:3:hit\n[Only the first 3 are shown]');
  });

  it('reports an invalid pattern', async () => {
    const { world, call } = await staged({}, ripgrep);
    await world.file('a', 'x');
    const result = await call('grep', { pattern: '(' });
    expect(result).toMatchObject({ outcome: 'error' });
    expect(result.output).toMatch(/paren|group|valid/i);
  });

  it('R-18 does not show files that a rule forbids below the searched directory', async () => {
    const { world, output } = await staged(
      { permissions: { deny: ['Read(secrets/**)'], ask: ['Read(.env)'] } },
      ripgrep,
    );
    await world.file('a', 'needle');
    await world.file('secrets/b', 'needle');
    await world.file('.env', 'needle');
    expect(await output('grep', { pattern: 'needle' })).toBe('a:1:needle');
    expect(await output('glob', { pattern: '**' })).toBe('a');
  });

  it('R-41 does not search the data directory if it is in the workspace', async () => {
    const world = await WorkspaceRun.open({ mode: 'full' });
    worlds.push(world);
    const home = join(world.workspace, '.stoa [1]');
    await fs.mkdir(home);
    await fs.writeFile(join(home, 'token'), 'needle');
    await world.file('a', 'needle');
    const runner = new ToolRunner({
      tools: [createGrep({ sandbox: new Sandbox({ home }), ripgrep }), glob],
      decide,
      home,
      now: () => performance.now(),
      diagnose: () => undefined,
    });
    const call = (tool: string, input: unknown, callId: string) =>
      runner.call({ run: world.context, callId, tool, input });
    expect((await call('grep', { pattern: 'needle', glob: '**' }, '1')).output).toBe('a:1:needle');
    expect((await call('glob', { pattern: '**' }, '2')).output).toBe('a');
  });
});

it('R-4 a search with a slow pattern ends with the run', async () => {
  const { world, call } = await staged();
  await world.file('many', `${'a'.repeat(40)}!\n`);
  const called = call('grep', { pattern: '(a+)+$', path: 'many' });
  const refused = expect(called).rejects.toMatchObject({ code: 'run_ended' });
  await until('it has begun', async () => (await world.session().all('tool_call')).length === 1);
  await world.cancel();
  await refused;
  expect((await world.session().types()).at(-1)).toBe('cancelled');
});
