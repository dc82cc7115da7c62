import { simulateTurns } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const ONLY = process.env['STOA_SEED'];
const SEEDS = process.env['STOA_SOAK'] === '1' ? 200_000 : 5_000;
const PER_TEST = 500;

const firsts = Array.from({ length: SEEDS / PER_TEST }, (_, i) => i * PER_TEST + 1);

/** A run that never meets one of these proves less than it seems to. */
const SITUATIONS = [
  'a claim was cut off',
  'archive',
  'asks people',
  'breaks',
  'cancel',
  'clear',
  'clock jump',
  'crash after a commit',
  'crash before a commit',
  'crash between claim and post',
  'dies and receives nothing',
  'dies silently',
  'edit',
  'end a session',
  'fails after it spoke',
  'is late',
  'late words were refused',
  'other work',
  'pause or resume',
  'reacts',
  'refusal channel_archived',
  'refusal turn_in_progress',
  'refusal not_member',
  'refusal invalid_stimulus',
  'refusal session_ended',
  'refusal stimulus_settled',
  'refusal too_many_stimuli',
  'refusal unknown_member',
  'send again',
  'speak aside',
  'speaks twice',
  'stimulus of a session',
  'stimulus of people',
  'stimulus taken back or put in again',
  'writes its answer last',
  'writes more than it emitted',
];

describe('people and agents in a channel, on virtual time, with faults', () => {
  if (ONLY === undefined) everySeed();
  else {
    it(`take turns with seed ${ONLY}`, async () => {
      await simulateTurns(Number(ONLY));
    });
  }
});

function everySeed(): void {
  const seen = new Map<string, number>();

  it.each(firsts)(
    `C-3 C-11 C-12 C-15 C-21 C-65 take turns within their bounds, with every commit judged, with seed %i and the next ${String(PER_TEST - 1)}`,
    { timeout: 300_000 },
    async (first) => {
      for (let seed = first; seed < first + PER_TEST; seed++) {
        const report = await simulateTurns(seed);
        for (const [what, count] of report.seen) seen.set(what, (seen.get(what) ?? 0) + count);
      }
    },
  );

  it('have met everything that may come between them', () => {
    expect(SITUATIONS.filter((situation) => !seen.has(situation))).toEqual([]);
  });

  it('do the same for the same seed, regardless of earlier runs', async () => {
    const first = await simulateTurns(7);
    await simulateTurns(8);
    expect((await simulateTurns(7)).trace).toEqual(first.trace);
  });
}
