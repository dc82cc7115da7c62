import { describe, expect, it } from 'vitest';
import { mentioned } from './mentions.js';

const members = [
  { memberId: 'builder', displayName: 'Bob the Builder' },
  { memberId: 'bob', displayName: 'Bob' },
  { memberId: 'reviewer', displayName: 'Rita' },
  { memberId: 'rita-2', displayName: 'Rita' },
];
const named = (text: string): string[] => mentioned(text, members).map(({ memberId }) => memberId);

describe('the members that a text names', () => {
  it.each([
    ['@builder please', ['builder']],
    ['please, @builder and @reviewer.', ['builder', 'reviewer']],
    ['@BOB!', ['bob']],
    ['Bob, look', ['bob']],
    ['bob the builder: look', ['builder']],
    ['what does @rita say?', []],
    ['Rita, what do you say?', []],
    ['what does @Bob the Builder suggest?', ['builder']],
    ['what does @Bob suggest?', ['bob']],
    ['@Bob the reviewer', ['bob']],
    ['@bob-2 is nobody', []],
    ['@rita-2, and @bob.', ['rita-2', 'bob']],
    ['@bob @BOB (@bob)', ['bob']],
    ['Bob, ask @reviewer', ['bob', 'reviewer']],
    ['bobsleigh', []],
    ['mail bob@example.org', []],
    ['mail me@bob', []],
    ['we met the builder', []],
    ['', []],
  ])('%j', (text, expected) => {
    expect(named(text)).toEqual(expected);
  });
});
