import { channelTurn } from '@stoa/agent';
import type { RunContext } from '@stoa/core';
import type { ChannelDelivery, TurnDecision } from '@stoa/protocol';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import type { Pair } from '../measure/alternate.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { openStore } from '../world/domain.js';
import { OWNER } from '../world/held-runs.js';
import { openSpeakers, type Speakers } from '../world/speakers.js';

const MEMBERS = [2, 10, 50] as const;
/** A message of a person may cost so many calls of a model. */
const MAX_CALLS = 3;
/** The maximum ratio between the input of a call and that of a call without replies, for any number of members. */
const MAX_GROWTH = 1.5;
/** What is usual for English. */
const CHARS_PER_TOKEN = 4;

/** The result of one message of a person. */
interface Cost {
  calls: number;
  tokens: number;
}

const NOTHING: Cost = { calls: 0, tokens: 0 };

interface Compared {
  readonly ours: Cost;
  readonly peer: Cost;
}

export const attention: Benchmark = {
  description:
    'model calls and input tokens for a message of a person ÷ asking every member at once',
  async run(form, scope) {
    const messages = form === 'short' ? 2 : 10;
    let cost = NOTHING;
    let isTalkative = true;
    const speakers = await openSpeakers(
      scope,
      (home) => openStore(scope, home),
      async (run) => {
        const { tokens, delivery } = promptOf(run);
        cost = { calls: cost.calls + 1, tokens: cost.tokens + tokens };
        // A quiet agent answers only if nobody has.
        if (isTalkative || delivery.answeredBy.length === 0) {
          await run.journal.emitOutput([{ type: 'text', text: MESSAGE_TEXT }]);
        }
        return { type: 'completed' };
      },
    );
    const figures: Figure[] = [];
    const costIn = async (channelId: string): Promise<Cost> => {
      cost = NOTHING;
      await settled(speakers, channelId);
      return cost;
    };
    const byMembers = new Map<number, Cost[]>();
    for (const members of MEMBERS) {
      const channelId = `calm-${members}`;
      // Both ids have the same length: they are part of the input.
      const peerId = `loud-${members}`;
      await speakers.openChannel(channelId, members);
      await speakers.openChannel(peerId, members, {
        maxParallelPublicSpeakers: members,
        maxAgentRepliesPerHumanMessage: members,
        maxStartedRunsPerHumanMessage: members,
      });
      for (isTalkative of [true, false]) {
        const costs: Compared[] = [];
        for (let i = 0; i < messages; i++) {
          const ours = await costIn(channelId);
          const peer = await costIn(peerId);
          if (peer.calls !== members) throw new Error('not every member was asked');
          costs.push({ ours, peer });
        }
        if (isTalkative) {
          byMembers.set(
            members,
            costs.map(({ ours }) => ours),
          );
        }
        const who = isTalkative ? 'all answer' : 'one answers, the others pass';
        const part = (what: string): string => `${what}, ${members} members, ${who}`;
        const goal = (factor: number) => `<=${(factor * MAX_CALLS) / members}` as const;
        figures.push(
          figureOf(
            { bench: 'attention', part: part('calls'), unit: 'calls', goal: goal(1) },
            costs.map(({ ours, peer }) => ({ ours: ours.calls, peer: peer.calls })),
          ),
          figureOf(
            { bench: 'attention', part: part('input'), unit: 'tokens', goal: goal(MAX_GROWTH) },
            costs.map(({ ours, peer }) => ({ ours: ours.tokens, peer: peer.tokens })),
          ),
        );
      }
    }
    const [few, many] = [byMembers.get(MEMBERS[0]) ?? [], byMembers.get(MEMBERS[2]) ?? []];
    const flat = (measure: (cost: Cost) => number): Pair[] =>
      few.map((one, i) => ({ ours: measure(many[i] as Cost), peer: measure(one) }));
    const label = { bench: 'attention', goal: `<=${MAX_GROWTH}` } as const;
    const which = `${MEMBERS[2]} ÷ ${MEMBERS[0]} members`;
    return [
      ...figures,
      figureOf(
        { ...label, part: `calls, ${which}`, unit: 'calls' },
        flat(({ calls }) => calls),
      ),
      figureOf(
        { ...label, part: `input of a call, ${which}`, unit: 'tokens' },
        flat(({ tokens, calls }) => tokens / calls),
      ),
    ];
  },
};

/** The prompt of this turn for a model. */
function promptOf(run: RunContext): { tokens: number; delivery: ChannelDelivery } {
  const [item] = run.items;
  if (!item?.delivery) throw new Error('a turn without a delivery');
  const prompt = channelTurn(item.delivery, item, MESSAGE_TEXT, 'in_turn');
  return { tokens: prompt.length / CHARS_PER_TOKEN, delivery: item.delivery };
}

/** A person says something, and everybody has had their say. */
async function settled({ core }: Speakers, channelId: string): Promise<void> {
  const { messageId } = await core.channels.post(OWNER, channelId, { text: MESSAGE_TEXT });
  for (;;) {
    const page = { before: Number.MAX_SAFE_INTEGER, limit: 1 };
    const [last]: TurnDecision[] = await core.turns.decisions(OWNER, channelId, messageId, page);
    if (last?.turn.closedAt !== undefined) return;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
