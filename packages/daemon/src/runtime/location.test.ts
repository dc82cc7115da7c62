import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isOfHome, locationOf, newDaemonId } from './location.js';

it('T-29 the next daemon on SQLite continues the tasks of the last one, also after its data was moved', () => {
  expect(locationOf('sqlite', '/old/home')).toBe(locationOf('sqlite', '/new/home'));
  expect(locationOf('postgres', '/one')).not.toBe(locationOf('postgres', '/two'));
});

it('a daemon recognises the names of earlier ones in its data directory, and they contain no path', () => {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-location-ada-'));
  onTestFinished(() => {
    rmSync(directory, { recursive: true });
  });
  const home = join(directory, 'home');
  cpSync(mkdtempSync(join(directory, 'empty-')), home, { recursive: true });
  const name = newDaemonId(home);
  expect(name).not.toBe(newDaemonId(home));
  expect(isOfHome(home, name)).toBe(true);
  expect(name).not.toContain('ada');
  expect(isOfHome(mkdtempSync(join(directory, 'other-')), name)).toBe(false);
  // A copy that was put where the original was can be in use while the original is, on another machine.
  renameSync(home, join(directory, 'moved'));
  cpSync(join(directory, 'moved'), home, { recursive: true });
  expect(isOfHome(home, name)).toBe(false);
});
