import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readScriptFile } from './script-file.js';

let root: string;
let workspace: string;
let options: { workspace: string; home: string };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stoa-script-'));
  workspace = join(root, 'workspace');
  const home = join(workspace, '.stoa');
  mkdirSync(home, { recursive: true });
  options = { workspace, home };
  writeFileSync(join(home, 'token'), 'secret');
  writeFileSync(join(root, 'secret.yaml'), 'secret');
  writeFileSync(join(workspace, 'a.yaml'), 'mine');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('a script file', () => {
  it('is read from the workspace', async () => {
    expect(await readScriptFile(options, 'a.yaml')).toBe('mine');
  });

  it.each(['../secret.yaml', 'link.yaml', 'none.yaml', '.', '.stoa/token', 'home.yaml'])(
    'is not read from %s',
    async (file) => {
      symlinkSync(join(root, 'secret.yaml'), join(workspace, 'link.yaml'));
      symlinkSync('.stoa/token', join(workspace, 'home.yaml'));
      await expect(readScriptFile(options, file)).rejects.toMatchObject({
        code: 'invalid_agent',
      });
    },
  );

  it('is not read from an absolute path elsewhere', async () => {
    const reading = readScriptFile(options, join(root, 'secret.yaml'));
    await expect(reading).rejects.toThrow('is not below the workspace');
  });

  it('is not read from a pipe', async () => {
    execFileSync('mkfifo', [join(workspace, 'pipe.yaml')]);
    await expect(readScriptFile(options, 'pipe.yaml')).rejects.toThrow('not a plain file');
  });

  it('has a maximum size', async () => {
    writeFileSync(join(workspace, 'long.yaml'), 'x'.repeat(300_000));
    await expect(readScriptFile(options, 'long.yaml')).rejects.toThrow('longer than');
  });
});
