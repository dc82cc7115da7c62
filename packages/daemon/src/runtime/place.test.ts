import { expect, it } from 'vitest';
import { isOfHome, newDaemonId, placeOf } from './place.js';

it('T-29 what a daemon on SQLite left is for the next one, also after its data was moved', () => {
  expect(placeOf('sqlite', '/old/home')).toBe(placeOf('sqlite', '/new/home'));
  expect(placeOf('postgres', '/one')).not.toBe(placeOf('postgres', '/two'));
});

it('a daemon knows the names of those before it in its data directory, and they tell no path', () => {
  const name = newDaemonId('/home/ada/.stoa');
  expect(name).not.toBe(newDaemonId('/home/ada/.stoa'));
  expect(isOfHome('/home/ada/.stoa', name)).toBe(true);
  expect(isOfHome('/home/ada/.stoa2', name)).toBe(false);
  expect(name).not.toContain('ada');
});
