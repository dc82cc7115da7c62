import { describe, expect, it } from 'vitest';
import { pageTitle } from './page-title.js';

describe('the title of the page', () => {
  it('says where one is', () => {
    expect(pageTitle('Lobby', 0)).toBe('Lobby · Stoa');
    expect(pageTitle(undefined, 0)).toBe('Stoa');
  });

  it('says in front, where a tab is not cut, how much is unread', () => {
    expect(pageTitle('Lobby', 3)).toBe('(3) Lobby · Stoa');
    expect(pageTitle(undefined, 120)).toBe('(99+) Stoa');
  });
});
