import { memberTag, TurnDecision } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { arbitrate } from './arbitrate.js';
import { member, policy, thread, turn } from './thread-state.fixture.js';

const id = (i: number): string => `agent-${String(i).padStart(3, '0')}`;
const crowd = (count: number, fields: (i: number) => Parameters<typeof member>[1] = () => ({})) =>
  Array.from({ length: count }, (_, i) => member(id(i), fields(i)));

/** Two ids with the same tag that sort after those of a crowd. */
function withSameTag(): [string, string] {
  const ids = new Map<string, string>();
  for (let i = 0; ; i++) {
    const memberId = `z-${String(i)}`;
    const other = ids.get(memberTag(memberId));
    if (other !== undefined) return [other, memberId];
    ids.set(memberTag(memberId), memberId);
  }
}

describe('the summary of candidates in a decision', () => {
  it('DU-12 is bounded for any number of different candidates', () => {
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

  it('DU-12 describes the member with the turn at any rank', () => {
    const members = crowd(200, (i) => ({ muted: i < 199, expertise: i < 199 ? 5 : 0 }));
    const { candidates, others } = arbitrate(thread(members), policy(), 0);
    expect(candidates.at(-1)).toMatchObject({ memberId: id(199), verdict: 'granted' });
    expect(others).toEqual([
      { verdict: 'skipped', reason: 'muted', count: 200 - candidates.length, memberIds: [] },
    ]);
  });

  it('DU-12 lists the members of every group but the largest, by id and then by tag', () => {
    const members = crowd(200, (i) => ({ muted: i >= 130 }));
    const { others } = arbitrate(thread(members), policy(), 0);
    const [largest, muted] = others;
    expect(largest).toMatchObject({ reason: 'member', memberIds: [] });
    expect(muted).toMatchObject({ reason: 'muted', count: 70 });
    expect(muted?.memberIds).toContain(id(130));
    const tags = (muted?.memberTags ?? '').match(/.{3}/g) ?? [];
    expect((muted?.memberIds.length ?? 0) + tags.length).toBe(70);
    expect(tags).toContain(memberTag(id(199)));
    expect(tags).not.toContain(memberTag(id(0)));
  });

  it('DU-12 lists a member by id if it shares its tag with a member of another group', () => {
    const [muted, queued] = withSameTag();
    const members = [
      ...crowd(160, (i) => ({ muted: i < 60 })),
      member(muted, { muted: true }),
      member(queued),
    ];
    const { others } = arbitrate(thread(members), policy(), 0);
    expect(others[0]?.reason).toBe('member');
    expect(others[1]?.memberTags).toContain(memberTag(muted));
    expect(others[0]?.memberIds).toEqual([queued]);
  });

  it('is a valid record', () => {
    const { candidates, others, candidateCount } = arbitrate(thread(crowd(1)), policy(), 0);
    const record = { trigger: { type: 'time' }, granted: [], renewed: [], ended: [] };
    const decided = { ...record, turn: turn(), candidates, others, candidateCount };
    // The fixture uses names as ids; everything else must be valid.
    expect(
      TurnDecision.safeParse(decided).error?.issues.every(({ path }) =>
        /Id$/.test(String(path.at(-1))),
      ),
    ).toBe(true);
  });
});
