import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readScriptFile } from './script-file.js';

let root: string;
let workspace: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stoa-script-'));
  workspace = join(root, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(root, 'secret.yaml'), 'secret');
  writeFileSync(join(workspace, 'a.yaml'), 'mine');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('a script file', () => {
  it('is read from below the workspace', async () => {
    expect(await readScriptFile(workspace, 'a.yaml')).toBe('mine');
  });

  it.each(['../secret.yaml', 'link.yaml', 'none.yaml', '.'])(
    'is not read from %s',
    async (file) => {
      symlinkSync(join(root, 'secret.yaml'), join(workspace, 'link.yaml'));
      await expect(readScriptFile(workspace, file)).rejects.toMatchObject({
        code: 'invalid_agent',
      });
    },
  );

  it('is not read from an absolute path elsewhere', async () => {
    const reading = readScriptFile(workspace, join(root, 'secret.yaml'));
    await expect(reading).rejects.toThrow('is not below the workspace');
  });

  it('may not be too long', async () => {
    writeFileSync(join(workspace, 'long.yaml'), 'x'.repeat(300_000));
    await expect(readScriptFile(workspace, 'long.yaml')).rejects.toThrow('longer than');
  });
});
