import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isOfHome, newDaemonId, placeOf } from './place.js';

it('T-29 what a daemon on SQLite left is for the next one, also after its data was moved', () => {
  expect(placeOf('sqlite', '/old/home')).toBe(placeOf('sqlite', '/new/home'));
  expect(placeOf('postgres', '/one')).not.toBe(placeOf('postgres', '/two'));
});

it('a daemon knows the names of those before it in its data directory, and they tell no path', () => {
  const place = mkdtempSync(join(tmpdir(), 'stoa-place-ada-'));
  onTestFinished(() => {
    rmSync(place, { recursive: true });
  });
  const home = join(place, 'home');
  cpSync(mkdtempSync(join(place, 'empty-')), home, { recursive: true });
  const name = newDaemonId(home);
  expect(name).not.toBe(newDaemonId(home));
  expect(isOfHome(home, name)).toBe(true);
  expect(name).not.toContain('ada');
  expect(isOfHome(mkdtempSync(join(place, 'other-')), name)).toBe(false);
  // A copy that was put where the original was can be in use while the original is, on another machine.
  renameSync(home, join(place, 'moved'));
  cpSync(join(place, 'moved'), home, { recursive: true });
  expect(isOfHome(home, name)).toBe(false);
});
