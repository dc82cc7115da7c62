import type { Core } from '@stoa/core';
import type { TurnDecision } from '@stoa/protocol';
import {
  type BoundStatement,
  findChannelFields,
  findLeaseOfRun,
  findQueuedRun,
  findStimulus,
  findTurn,
  insertIdempotencyKey,
  listAuthorsInChannel,
  listDueTurns,
  listLiveLeases,
  listLostClaims,
  listSessionMembers,
  oneByOne,
  setStimulusDispatched,
  type TransactOptions,
  type Tx,
} from '@stoa/store';
import { describe, expect, it } from 'vitest';
import { OWNER } from '../runtime/runtime-world.js';
import { SimulationFailure } from '../simulation/failure.js';
import type { Planted } from '../simulation/kernel.js';
import { simulateTurns } from './simulate-turns.js';

const SEEDS = 300;
/** Of the histories, those that are long: what a defect needs to show is more often in them. */
const LONG_EVERY = 5;

type Distort = (statement: BoundStatement, answer: unknown, lane: string) => unknown;

/** A store that returns wrong answers. */
const answering = (distort: Distort): Planted => ({
  store: (inner) =>
    new Proxy(inner, {
      get(_, name) {
        if (name === 'transact') {
          return <T>(body: () => Tx<T>, options: TransactOptions<T> = {}) =>
            inner.transact(() => distorted(body, distort, options.lane ?? ''), options);
        }
        if (name === 'read') {
          return <T>(body: () => Tx<T>) => inner.read(() => distorted(body, distort, ''));
        }
        const value: unknown = Reflect.get(inner, name);
        return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
      },
    }),
});

function* distorted<T>(body: () => Tx<T>, distort: Distort, lane: string): Tx<T> {
  const tx = oneByOne(body());
  for (let step = tx.next(); ; ) {
    if (step.done) return step.value;
    step = tx.next(distort(step.value, yield step.value, lane));
  }
}

type Rows = Record<string, unknown>[];

const withTurn = (row: unknown, change: (turn: TurnDecision['turn']) => object): unknown => {
  if (row === undefined) return undefined;
  const known = row as { decided: string };
  const decision = JSON.parse(known.decided) as TurnDecision;
  const turn = { ...decision.turn, ...change(decision.turn) };
  return { ...known, decided: JSON.stringify({ ...decision, turn }) };
};

/** Made again for every seed, so that a history does not depend on those before it. */
const DEFECTS: readonly [what: string, planted: () => Planted][] = [
  [
    'replies that count against nothing',
    () =>
      answering(({ text }, answer) =>
        text === findTurn.text ? withTurn(answer, () => ({ replies: 0 })) : answer,
      ),
  ],
  [
    'runs that count against nothing',
    () =>
      answering(({ text }, answer) =>
        text === findTurn.text ? withTurn(answer, () => ({ startedRuns: 0 })) : answer,
      ),
  ],
  [
    'a run that goes on, and publishes, after its turn has passed on',
    () =>
      answering(({ text }, answer, lane) => {
        if (text === findQueuedRun.text && lane.startsWith('channel:')) return undefined;
        return text === findLeaseOfRun.text && answer !== undefined
          ? { ...(answer as object), endedAt: null }
          : answer;
      }),
  ],
  [
    'a turn that is over and passes to nobody',
    () => {
      let isSomebodySpeaking = false;
      return answering(({ text }, answer, lane) => {
        if (text === listLiveLeases.text) isSomebodySpeaking = (answer as Rows).length > 0;
        const isHidden = isSomebodySpeaking && lane.startsWith('channel:');
        return text === listSessionMembers.text && isHidden ? [] : answer;
      });
    },
  ],
  [
    'a clock that is never polled',
    () => answering(({ text }, answer) => (text === listDueTurns.text ? [] : answer)),
  ],
  [
    'one speaker more than may speak',
    () =>
      answering(({ text }, answer, lane) => {
        if (text !== findChannelFields.text || lane === '') return answer;
        const row = answer as { settings: string };
        const settings = JSON.parse(row.settings) as { autonomyPolicy?: Record<string, number> };
        const { autonomyPolicy = {} } = settings;
        const maxParallelPublicSpeakers = (autonomyPolicy['maxParallelPublicSpeakers'] ?? 1) + 1;
        const changed = {
          ...settings,
          autonomyPolicy: { ...autonomyPolicy, maxParallelPublicSpeakers },
        };
        return { ...row, settings: JSON.stringify(changed) };
      }),
  ],
  [
    'a summary that wakes somebody',
    () =>
      answering(({ text }, answer) => {
        if (text !== findStimulus.text || answer === undefined) return answer;
        const row = answer as { created: string };
        return { ...row, created: row.created.replace('"result_summary"', '"agent_idea"') };
      }),
  ],
  [
    'stimuli with a budget that agents never use up',
    () => answering(({ text }, answer) => (text === listAuthorsInChannel.text ? [] : answer)),
  ],
  [
    'a stimulus whose claim outlives who made it',
    () => answering(({ text }, answer) => (text === listLostClaims.text ? [] : answer)),
  ],
  ['a stimulus that is posted again after a crash', () => forgetting(setStimulusDispatched.text)],
  ['a reaction that sets an agent to work', () => ({ core: reactionsThatWake })],
  [
    'a post that is stored again when it is sent again',
    () => forgetting(insertIdempotencyKey.text),
  ],
];

/** A store that never does one thing, and says that it did. */
function forgetting(text: BoundStatement['text']): Planted {
  return {
    store: (inner) =>
      new Proxy(inner, {
        get(_, name) {
          if (name !== 'transact') {
            const value: unknown = Reflect.get(inner, name);
            return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
          }
          return <T>(body: () => Tx<T>, options: TransactOptions<T> = {}) =>
            inner.transact(() => forgetful(body, text), options);
        },
      }),
  };
}

function* forgetful<T>(body: () => Tx<T>, text: BoundStatement['text']): Tx<T> {
  const tx = oneByOne(body());
  for (let step = tx.next(); ; ) {
    if (step.done) return step.value;
    step = tx.next(step.value.text === text ? 1 : yield step.value);
  }
}

function reactionsThatWake(core: Core): Core {
  const { channels } = core;
  const react: typeof channels.react = async (by, channelId, messageId, change) => {
    const answer = await channels.react(by, channelId, messageId, change);
    const members = await channels.members(OWNER, channelId);
    const sessionId = members
      .find(({ memberKind }) => memberKind === 'session')
      ?.actorId.slice('session:'.length);
    if (sessionId !== undefined) {
      await core.inbox.submit(OWNER, sessionId, { text: 'check that', rule: 'followup' });
    }
    return answer;
  };
  return {
    ...core,
    channels: Object.assign(Object.create(channels) as typeof channels, { react }),
  };
}

describe('the simulation of turns', () => {
  it.each(DEFECTS)('notices %s, and says with which seed', async (_, planted) => {
    const failure = await firstFailure(planted);
    expect(failure).toBeInstanceOf(SimulationFailure);
    const { seed, message } = failure as SimulationFailure;
    expect(message).toContain(
      `STOA_SEED=${String(seed)} npx vitest run tests/turn-simulation.test.ts`,
    );
    // Without the defect the same seed passes.
    expect((await simulateTurns(seed)).steps).toBeGreaterThan(0);
  });
});

async function firstFailure(planted: () => Planted): Promise<unknown> {
  for (let seed = LONG_EVERY; seed <= SEEDS * LONG_EVERY; seed += LONG_EVERY) {
    try {
      await simulateTurns(seed, planted());
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
