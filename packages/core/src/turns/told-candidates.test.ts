import { TurnDecision } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { arbitrate } from './arbitrate.js';
import { policy, standing, thread, turn } from './thread-state.fixture.js';

const id = (i: number): string => `agent-${String(i).padStart(3, '0')}`;
const crowd = (count: number, known: (i: number) => Parameters<typeof standing>[1] = () => ({})) =>
  Array.from({ length: count }, (_, i) => standing(id(i), known(i)));

describe('what a decision says of its candidates', () => {
  it('DU-12 is bounded, however many there are and however they differ', () => {
    const modes = ['manual_only', 'selected_only', 'prefer_selected', 'always_listen'] as const;
    const members = crowd(1_000, (i) => ({
      mode: modes[i % 4] ?? 'selected_only',
      muted: i % 5 === 0,
      expertise: i % 3,
      spokeAt: i % 2 === 0 ? 1_000 + i : undefined,
      unavailable: i % 7 === 0 ? 'inbox_full' : undefined,
    }));
    const { candidates, others, candidateCount } = arbitrate(thread(members), policy(), 5_000);
    expect(JSON.stringify({ candidates, others }).length).toBeLessThan(2_500);
    const grouped = others.reduce((sum, { count }) => sum + count, 0);
    expect(candidates.length + grouped).toBe(candidateCount);
  });

  it('DU-12 describes the one with the turn at any place in the order', () => {
    const members = crowd(200, (i) => ({ muted: i < 199, expertise: i < 199 ? 5 : 0 }));
    const { candidates, others } = arbitrate(thread(members), policy(), 0);
    expect(candidates.at(-1)).toMatchObject({ memberId: id(199), verdict: 'granted' });
    expect(others).toEqual([
      { verdict: 'skipped', reason: 'muted', count: 200 - candidates.length, memberIds: [] },
    ]);
  });

  it('DU-12 names the members of every group but the largest, as far as there is room', () => {
    const members = crowd(200, (i) => ({ muted: i >= 190 }));
    const { others } = arbitrate(thread(members), policy(), 0);
    expect(others.map(({ reason, memberIds }) => [reason, memberIds.length])).toEqual([
      ['member', 0],
      ['muted', 10],
    ]);
    expect(others[1]?.memberIds).toContain(id(195));
  });

  it('is a valid record', () => {
    const { candidates, others, candidateCount } = arbitrate(thread(crowd(1)), policy(), 0);
    const record = { trigger: { type: 'time' }, granted: [], renewed: [], ended: [] };
    const decided = { ...record, turn: turn(), candidates, others, candidateCount };
    // Ids of the fixture are names; everything else is as it is stored.
    expect(
      TurnDecision.safeParse(decided).error?.issues.every(({ path }) =>
        /Id$/.test(String(path.at(-1))),
      ),
    ).toBe(true);
  });
});
