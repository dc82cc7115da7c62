import { arbitrate as decide } from '@stoa/core';
import { type AutonomyPolicy, DEFAULT_AUTONOMY_POLICY } from '@stoa/protocol';
import type { Benchmark } from '../benchmark.js';
import { alternate, type Block, millisecondsEach } from '../measure/alternate.js';
import { figureOf } from '../measure/figure.js';

const OPERATIONS = 100;
/** A decision with fifty members may take so long. */
const LIMIT_MS = 0.2;
const NOW = 1_000_000;

type ThreadState = Parameters<typeof decide>[0];

export const arbitrate: Benchmark = {
  description: 'who is next in a thread of 200 messages: 50 members ÷ 0.2 ms, and how it grows',
  async run(form) {
    const extent =
      form === 'short'
        ? { pairs: 100, seconds: 4, warmUp: 30 }
        : { pairs: 1000, seconds: 30, warmUp: 100 };
    const [few, fifty, many] = [deciding(5), deciding(50), deciding(500)];
    const one = await alternate(fifty, () => LIMIT_MS, extent);
    const growth = await alternate(many, few, extent);
    const label = { bench: 'arbitrate', unit: 'ms' } as const;
    return [
      figureOf({ ...label, part: '50 members ÷ limit', goal: '<=1' }, one),
      figureOf({ ...label, part: '500 ÷ 5 members', goal: '<=100' }, growth),
    ];
  },
};

/** Milliseconds a decision. */
function deciding(members: number): Block {
  const states = Array.from({ length: 10 }, (_, i) => threadOf(members, i));
  const policy: AutonomyPolicy = { ...DEFAULT_AUTONOMY_POLICY, maxParallelPublicSpeakers: 2 };
  return millisecondsEach(OPERATIONS, () => {
    for (let i = 0; i < OPERATIONS; i++) {
      const { candidateCount } = decide(states[i % states.length] as ThreadState, policy, NOW);
      if (candidateCount !== members) throw new Error('not every member was considered');
    }
  });
}

/**
 * What is read of a thread of 200 messages before it is decided about: who of its members spoke when is
 * all that is left of the messages. Half of the members spoke, some are cooling down, some are quiet.
 */
function threadOf(members: number, variant: number): ThreadState {
  const ids = Array.from(
    { length: members },
    (_, i) => `ses_${String((i * 7919) % members).padStart(26, '0')}`,
  );
  const at = (i: number): string => ids[(i + variant) % members] as string;
  return {
    paused: false,
    turn: {
      turnId: 'trn_0',
      threadRootMessageId: 'msg_0',
      originMessageId: 'msg_199',
      openedAt: NOW,
      selected: [],
      isForPeople: false,
      called: [at(1)],
      served: [at(2)],
      replies: 1,
      startedRuns: 1,
      tokens: 0,
    },
    leases: [],
    members: ids.map((sessionId, i) => ({
      memberId: `member-${sessionId}`,
      sessionId,
      mode: i % 4 === 0 ? 'always_listen' : 'selected_only',
      muted: i % 10 === 9,
      expertise: i % 3,
      spokeAt: i % 2 === 0 ? NOW - ((i * 613) % 200) * 1_000 : undefined,
      isLastInThread: i === variant,
      isLastInChannel: false,
      reactedSinceOrigin: i % 7 === 0,
      liveRuns: i % 3,
    })),
  };
}
