import {
  actorIdOf,
  type ChannelEvent,
  type CreateStimulus,
  channelTopic,
  type Principal,
  type Stimulus,
  type StimulusState,
  StoaError,
  SYSTEM,
} from '@stoa/protocol';
import {
  type DueStimulusRow,
  type FullStimulusRow,
  findStimulus,
  leaseTime,
  listDueStimuli,
  listExpiredStimuli,
  listLostClaims,
  listStimuli,
  listStimuliWithoutKey,
  type Tx,
} from '@stoa/store';
import { mayModerate } from '../access/rules.js';
import {
  assertNotArchived,
  channelToChange,
  channelToModerate,
  channelToRead,
  channelToSpeakIn,
  type OpenChannel,
} from '../channels/channel-gate.js';
import { eachIsolated } from '../kernel/each-isolated.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { readPage } from '../kernel/paging.js';
import { DAEMON_GONE_MS } from '../runs/ownership.js';
import { assertRoom } from './add-stimulus.js';
import type { StimulusContext } from './context.js';
import { createStimulus } from './create-stimulus.js';
import { claim, dispatch, errorText, failed, RETRIES_OF_LOST_CLAIMS } from './dispatch.js';
import { HeldStimuli } from './held-stimuli.js';
import { insertKeys } from './projection.js';
import { createdOf, stimulusRecord } from './records.js';

/** Posted in one round; the next round follows at once. */
const MAX_POSTED = 20;
/** Attempts in one round, posted or not. */
const MAX_TRIED = 100;
const PAGE = 100;
/** Longer than posting takes. An older claim counts as lost. */
const CLAIM_STALE_MS = 60_000;
const CLAIM_LOST = 'the daemon ended while it was being posted';

export interface StimulusQuery {
  readonly state?: StimulusState | undefined;
  readonly threadRootMessageId?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Creates, reads, cancels and replays stimuli, and posts those that are due. */
export class Stimuli {
  readonly #held: HeldStimuli;

  constructor(private readonly context: StimulusContext) {
    this.#held = new HeldStimuli(context.store);
  }

  create(by: Principal, channelId: string, request: CreateStimulus, key?: string) {
    return createStimulus(this.context, by, channelId, request, key);
  }

  get(by: Principal, channelId: string, stimulusId: string): Promise<Stimulus> {
    return this.context.store.read(function* () {
      const channel = yield* channelToRead(by, channelId);
      return stimulusRecord(channelId, yield* existing(channel, stimulusId));
    });
  }

  /** Newest first. */
  list(by: Principal, channelId: string, query: StimulusQuery) {
    const { state = null, threadRootMessageId = null, limit } = query;
    return this.context.store.read(function* () {
      const { topicId } = yield* channelToRead(by, channelId);
      const before = query.before ?? Number.MAX_SAFE_INTEGER;
      const filter = { topicId, state, rootMessageId: threadRootMessageId, before };
      const { rows, resumeAfter } = yield* readPage(limit, (count) =>
        listStimuli.all({ ...filter, limit: count }),
      );
      return {
        stimuli: rows.map((row) => stimulusRecord(channelId, row)),
        ...(resumeAfter && { nextBefore: resumeAfter.seq }),
      };
    });
  }

  /** Allowed to the actor that created it and to moderators of the channel. */
  cancel(by: Principal, channelId: string, stimulusId: string): Promise<Stimulus> {
    return this.#change(
      by,
      channelId,
      stimulusId,
      () => channelToSpeakIn(by, channelId),
      // eslint-disable-next-line require-yield -- the row is enough to decide
      function* (row, channel) {
        if (row.createdBy !== actorIdOf(by) && !mayModerate(by, channel.createdBy)) {
          throw new StoaError(
            'forbidden',
            'Only its creator and moderators of the channel may cancel it',
          );
        }
        if (row.state !== 'pending' && row.state !== 'claimed') throw settled(row);
        const data = { stimulusId, state: 'cancelled' as const, reason: 'cancelled' as const };
        return { type: 'stimulus_settled', data };
      },
    );
  }

  /** Queues a dead letter, or a cancelled stimulus, again. */
  replay(by: Principal, channelId: string, stimulusId: string): Promise<Stimulus> {
    return this.#change(
      by,
      channelId,
      stimulusId,
      () => channelToModerate(by, channelId),
      function* (row, channel, at) {
        if (row.state !== 'dead_letter' && row.state !== 'cancelled') throw settled(row);
        yield* assertRoom(channel);
        return { type: 'stimulus_replayed', data: { stimulusId, availableAt: at } };
      },
    );
  }

  /** Queues stimuli again whose daemon is gone or lost its claim. Returns how many there were. */
  async requeueLost(): Promise<number> {
    const { store, diagnose } = this.context;
    const lost = await store.read(() => this.#findLost());
    let requeued = 0;
    const failure = 'a claimed stimulus could not be queued again';
    await eachIsolated(this.context, failure, lost, async ({ channelId, stimulusId }) => {
      const isDone = await this.#write(channelId, function* (channel, at) {
        const events = yield* failed(channel, stimulusId, CLAIM_LOST, at, RETRIES_OF_LOST_CLAIMS);
        return { events, answer: () => events.length > 0 };
      });
      if (!isDone) return;
      requeued += 1;
      diagnose('a claimed stimulus was queued again', { channelId, stimulusId });
    });
    return requeued;
  }

  /** Adds the keys of waiting stimuli that an older version of Stoa stored without keys. Returns how many there were. */
  async indexWaiting(): Promise<number> {
    let indexed = 0;
    for (;;) {
      const found = await this.context.store.transact(function* () {
        const rows = yield* listStimuliWithoutKey.all({ limit: PAGE });
        for (const row of rows) yield* insertKeys(row.topicId, createdOf(row));
        return rows.length;
      });
      indexed += found;
      if (found < PAGE) return indexed;
    }
  }

  *#findLost(): Tx<{ channelId: string; stimulusId: string }[]> {
    const { context } = this;
    const { daemonId } = context;
    const own = context.clock.now();
    const now = (yield* leaseTime.first({ now: own }))?.now ?? own;
    const aliveAfter = now - DAEMON_GONE_MS;
    const staleBefore = own - CLAIM_STALE_MS;
    return yield* listLostClaims.all({ daemonId, aliveAfter, staleBefore, limit: PAGE });
  }

  /** Posts due stimuli, a bounded number. Returns whether there may be more that can be posted at once. */
  async tick(): Promise<boolean> {
    const { store, clock, diagnose } = this.context;
    const now = clock.now();
    const expired = await store.read(() => listExpiredStimuli.all({ now, limit: PAGE }));
    const held = this.#held.round();
    const done = { posted: 0, settled: 0, held: 0, none: 0 };
    for await (const page of concat([expired], this.#due(now))) {
      for (const stimulus of page) {
        if (held.isKnownToBeHeld(stimulus)) continue;
        const { channelId, stimulusId } = stimulus;
        if (done.posted >= MAX_POSTED) return true;
        // If no attempt of the round changed anything, the next round would not either.
        const tried = done.posted + done.settled + done.held + done.none;
        if (tried >= MAX_TRIED) return tried > done.none;
        if (await held.isHeld(stimulus)) continue;
        try {
          const outcome = await this.#post(stimulus);
          done[outcome] += 1;
          if (outcome === 'posted') held.posted(stimulus);
          if (outcome === 'posted' || outcome === 'settled') this.#held.delete(stimulus);
        } catch (error) {
          done.none += 1;
          diagnose('a stimulus could not be claimed', { channelId, stimulusId, error });
        }
      }
    }
    return false;
  }

  /** All due stimuli, in pages that are larger than the number of stimuli to skip. */
  async *#due(now: number): AsyncGenerator<readonly DueStimulusRow[]> {
    let after = { afterDueAt: Number.MIN_SAFE_INTEGER, afterId: '' };
    const limit = PAGE + this.#held.size;
    for (;;) {
      const page = { now, ...after, limit };
      const rows = await this.context.store.read(() => listDueStimuli.all(page));
      yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < limit) return;
      after = { afterDueAt: last.dueAt, afterId: last.stimulusId };
    }
  }

  /** `held`: its thread has an open turn. `none`: nothing changed. */
  async #post(stimulus: DueStimulusRow): Promise<'posted' | 'settled' | 'held' | 'none'> {
    const { context } = this;
    const { channelId, stimulusId } = stimulus;
    const claimed = await this.#write(channelId, function* (channel, at) {
      const { events, ...result } = yield* claim(context, channel, stimulusId, at);
      return { events, answer: () => ({ ...result, isSettled: events.length > 0 }) };
    });
    const { attempt, heldBy, isSettled } = claimed;
    if (heldBy !== undefined) {
      this.#held.add(stimulus, heldBy);
      return 'held';
    }
    if (attempt === undefined) return isSettled ? 'settled' : 'none';
    try {
      await this.#write(channelId, function* (channel, at) {
        const events = yield* dispatch(context, channel, stimulusId, attempt, at);
        return { events, answer: () => undefined };
      });
    } catch (error) {
      context.diagnose('a stimulus could not be posted', { channelId, stimulusId, error });
      await this.#write(channelId, function* (channel, at) {
        const events = yield* failed(channel, stimulusId, errorText(error), at);
        return { events, answer: () => undefined };
      });
    }
    return 'posted';
  }

  #write<R>(
    channelId: string,
    decide: (channel: OpenChannel, at: number) => Tx<Decision<R>>,
  ): Promise<R> {
    return this.context.log.write({
      actor: 'system',
      lane: channelTopic(channelId),
      open: () => channelToChange(SYSTEM, channelId),
      decide,
    });
  }

  async #change(
    by: Principal,
    channelId: string,
    stimulusId: string,
    open: () => Tx<OpenChannel>,
    decide: (row: FullStimulusRow, channel: OpenChannel, at: number) => Tx<ChannelEvent>,
  ): Promise<Stimulus> {
    const topic = channelTopic(channelId);
    await this.context.log.write({
      actor: actorIdOf(by),
      lane: topic,
      open,
      *decide(channel, at): Tx<Decision<void>> {
        assertNotArchived(channel);
        const event = yield* decide(yield* existing(channel, stimulusId), channel, at);
        const events: NewEvent[] = [{ topic, event }];
        return { events, answer: () => undefined };
      },
    });
    return this.get(by, channelId, stimulusId);
  }
}

async function* concat<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

function* existing({ topicId, channelId }: OpenChannel, stimulusId: string): Tx<FullStimulusRow> {
  const row = yield* findStimulus.first({ topicId, stimulusId });
  if (row) return row;
  throw new StoaError('stimulus_not_found', `There is no stimulus ${stimulusId} in ${channelId}`);
}

const settled = ({ stimulusId, state }: FullStimulusRow): StoaError =>
  new StoaError('stimulus_settled', `${stimulusId} is ${state}`);
