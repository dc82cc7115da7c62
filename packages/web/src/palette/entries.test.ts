import { describe, expect, it } from 'vitest';
import { type Entry, entryOfSession, fitting, inSections } from './entries.js';

const entry = (section: string, title: string): Entry => ({
  key: `${section} ${title}`,
  section,
  title,
  run: () => undefined,
});
const titles = (entries: readonly Entry[]): string[] => entries.map(({ title }) => title);

describe('what fits', () => {
  const entries = [
    entry('Channels', 'The old lobby'),
    entry('Channels', 'Lobby'),
    entry('Actions', 'Show the keyboard shortcuts'),
  ];

  it('has every word of the query, and comes first when it begins with it', () => {
    expect(titles(fitting(entries, 'lobby'))).toEqual(['Lobby', 'The old lobby']);
    expect(titles(fitting(entries, 'lob old'))).toEqual(['The old lobby']);
    expect(titles(fitting(entries, 'nothing'))).toEqual([]);
  });

  it('is everything when nothing is asked, but of each section no more than eight', () => {
    const many = Array.from({ length: 20 }, (_, i) => entry('Channels', `Channel ${i}`));
    expect(fitting([...many, entry('Actions', 'This')], '')).toHaveLength(9);
  });

  it('is a session by its agent or by what it is about, with the agent first', () => {
    const session = (sessionId: string, agentName: string) =>
      entryOfSession({ sessionId, agentName, title: 'lobby', status: 'idle' }, () => undefined);
    const sessions = [session('ses_1', 'Host'), session('ses_2', 'Builder')];
    expect(titles(fitting(sessions, 'host'))).toEqual(['Host']);
    expect(titles(fitting(sessions, 'lobby'))).toEqual(['Host', 'Builder']);
    expect(sessions[0]?.hint).toBe('lobby, idle');
  });

  it('has the order in which it is shown', () => {
    const mixed = [
      entry('Channels', 'A room'),
      entry('Channels', 'Room'),
      entry('Pages', 'Room plan'),
    ];
    expect(titles(fitting(mixed, 'room'))).toEqual(['Room', 'A room', 'Room plan']);
  });

  it('is shown by sections', () => {
    expect([...inSections(fitting(entries, 'the'))].map(([name, of]) => [name, of.length])).toEqual(
      [
        ['Channels', 1],
        ['Actions', 1],
      ],
    );
  });
});
