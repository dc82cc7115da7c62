import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskWorkspaces } from './workspaces.js';

let root: string;
let home: string;
let checkout: string;
let reported: unknown[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-workspaces-')));
  home = join(root, '.stoa');
  checkout = join(root, 'checkout');
  mkdirSync(home);
  mkdirSync(checkout);
  writeFileSync(join(home, 'token'), 'the owner’s token');
  writeFileSync(join(root, 'private'), 'a key of mine');
  reported = [];
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const instructions = (workspace = checkout): Promise<string | undefined> => {
  const workspaces = new DiskWorkspaces(home, checkout, [], (_, { why }) => reported.push(why));
  return workspaces.instructions(workspace);
};

describe('the instructions of a workspace', () => {
  it('are the text of AGENTS.md, also if it is a link to another file there', async () => {
    expect(await instructions()).toBeUndefined();
    writeFileSync(join(checkout, 'CLAUDE.md'), '\nBe brief.\n');
    symlinkSync('CLAUDE.md', join(checkout, 'AGENTS.md'));
    expect(await instructions()).toBe('Be brief.');
    expect(reported).toEqual([]);
  });

  it.each([
    ['the daemon’s token', () => join(home, 'token')],
    ['a file outside', () => join(root, 'private')],
    ['the environment of the daemon', () => '/proc/self/environ'],
    ['what has no end', () => '/dev/zero'],
    ['itself', () => 'AGENTS.md'],
  ])('are not read through a link to %s', async (_, target) => {
    symlinkSync(target(), join(checkout, 'AGENTS.md'));
    expect(await instructions()).toBeUndefined();
    expect(reported).toHaveLength(1);
  });

  it('are not read from the daemon’s directory if that is in the workspace', async () => {
    symlinkSync('.stoa/token', join(root, 'AGENTS.md'));
    expect(await instructions(root)).toBeUndefined();
    symlinkSync('..', join(checkout, 'up'));
    symlinkSync('up/.stoa/token', join(checkout, 'AGENTS.md'));
    expect(await instructions()).toBeUndefined();
  });

  it('are not read from a pipe', async () => {
    execFileSync('mkfifo', [join(checkout, 'AGENTS.md')]);
    expect(await instructions()).toBeUndefined();
    expect(reported).toEqual(['AGENTS.md is not a plain file']);
  });

  it('are cut between two characters if they are too long', async () => {
    writeFileSync(join(checkout, 'AGENTS.md'), `x${'é'.repeat(65_536)}`);
    expect(await instructions()).toBe(`x${'é'.repeat(32_767)}`);
  });
});
