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
import type { Decision, NewEvent } from '../kernel/log.js';
import { DAEMON_GONE_MS } from '../runs/ownership.js';
import { assertRoom } from './add-stimulus.js';
import type { StimulusContext } from './context.js';
import { createStimulus } from './create-stimulus.js';
import { claim, dispatch, failed, RETRIES_OF_LOST_CLAIMS, wordsOf } from './dispatch.js';
import { InitiativeWaits } from './initiative-waits.js';
import { insertKeys } from './projection.js';
import { createdOf, stimulusRecord } from './records.js';

/** Posted at one look; what is left waits for the next, which follows at once. */
const POSTED_AT_ONCE = 20;
const LOOKED_AT = 100;
/** Attempts at one look, posted or not. */
const TRIED_AT_ONCE = 100;
/** Longer than posting takes; a claim this old was forgotten by who made it. */
const CLAIM_STALE_MS = 60_000;
const CUT_OFF = 'the daemon ended while it was being posted';

export interface StimulusQuery {
  readonly state?: StimulusState | undefined;
  readonly threadRootMessageId?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Reasons to speak that nobody said yet: putting them in, looking at them, and posting them in time. */
export class Stimuli {
  readonly #waits: InitiativeWaits;

  constructor(private readonly context: StimulusContext) {
    this.#waits = new InitiativeWaits(context.store);
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
      const page = { topicId, state, rootMessageId: threadRootMessageId, before };
      const rows = yield* listStimuli.all({ ...page, limit: limit + 1 });
      const stimuli = rows.slice(0, limit).map((row) => stimulusRecord(channelId, row));
      const nextBefore = rows.length > limit ? stimuli.at(-1)?.seq : undefined;
      return { stimuli, ...(nextBefore === undefined ? {} : { nextBefore }) };
    });
  }

  /** Who put it in may take it back, and who moderates the channel. */
  cancel(by: Principal, channelId: string, stimulusId: string): Promise<Stimulus> {
    return this.#change(
      by,
      channelId,
      stimulusId,
      () => channelToSpeakIn(by, channelId),
      // eslint-disable-next-line require-yield -- what the row says is all there is to know
      function* (row, channel) {
        if (row.createdBy !== actorIdOf(by) && !mayModerate(by, channel.createdBy)) {
          throw new StoaError('forbidden', 'Only who put it in, or who moderates the channel');
        }
        if (row.state !== 'pending' && row.state !== 'claimed') throw settled(row);
        const data = { stimulusId, state: 'cancelled' as const, reason: 'cancelled' as const };
        return { type: 'stimulus_settled', data };
      },
    );
  }

  /** For people: a dead letter, or one that was cancelled, from the beginning. */
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

  /** What a daemon that is gone had claimed waits again. Returns how many there were. */
  async requeueLost(): Promise<number> {
    const { store, diagnose } = this.context;
    const lost = await store.read(() => this.#findLost());
    let requeued = 0;
    for (const { channelId, stimulusId } of lost) {
      try {
        const isDone = await this.#write(channelId, function* (channel, at) {
          const events = yield* failed(channel, stimulusId, CUT_OFF, at, RETRIES_OF_LOST_CLAIMS);
          return { events, answer: () => events.length > 0 };
        });
        if (!isDone) continue;
        requeued += 1;
        diagnose('a claimed stimulus waits again', { channelId, stimulusId });
      } catch (error) {
        diagnose('a stimulus could not be looked at', { channelId, stimulusId, error });
      }
    }
    return requeued;
  }

  /** Makes what waits findable by its keys where it is older than these. Returns how many there were. */
  async indexWaiting(): Promise<number> {
    let indexed = 0;
    for (;;) {
      const found = await this.context.store.transact(function* () {
        const rows = yield* listStimuliWithoutKey.all({ limit: LOOKED_AT });
        for (const row of rows) yield* insertKeys(row.topicId, createdOf(row));
        return rows.length;
      });
      indexed += found;
      if (found < LOOKED_AT) return indexed;
    }
  }

  *#findLost(): Tx<{ channelId: string; stimulusId: string }[]> {
    const { context } = this;
    const { daemonId } = context;
    const own = context.clock.now();
    const now = (yield* leaseTime.first({ now: own }))?.now ?? own;
    const aliveAfter = now - DAEMON_GONE_MS;
    const staleBefore = own - CLAIM_STALE_MS;
    return yield* listLostClaims.all({ daemonId, aliveAfter, staleBefore, limit: LOOKED_AT });
  }

  /** Posts what is due, a bounded number. Returns whether there may be more. */
  async tick(): Promise<boolean> {
    const { store, clock, diagnose } = this.context;
    const now = clock.now();
    const expired = await store.read(() => listExpiredStimuli.all({ now, limit: LOOKED_AT }));
    const pass = this.#waits.pass();
    const done = { posted: 0, settled: 0, held: 0, none: 0 };
    for await (const page of concat([expired], this.#due(now))) {
      for (const stimulus of page) {
        if (pass.isKnownToBeHeld(stimulus)) continue;
        const { channelId, stimulusId } = stimulus;
        if (done.posted >= POSTED_AT_ONCE) return true;
        // What comes to nothing, because of a defect, is not tried again at once.
        const tried = done.posted + done.settled + done.held + done.none;
        if (tried >= TRIED_AT_ONCE) return tried > done.none;
        if (await pass.isHeld(stimulus)) continue;
        try {
          const outcome = await this.#post(stimulus);
          done[outcome] += 1;
          if (outcome === 'posted') pass.lookAgain(stimulus);
          if (outcome === 'posted' || outcome === 'settled') this.#waits.forget(stimulus);
        } catch (error) {
          done.none += 1;
          diagnose('a stimulus could not be looked at', { channelId, stimulusId, error });
        }
      }
    }
    return false;
  }

  /** All whose time has come, in pages with room for what is passed over and enough for one look. */
  async *#due(now: number): AsyncGenerator<readonly DueStimulusRow[]> {
    let after = { afterDueAt: Number.MIN_SAFE_INTEGER, afterId: '' };
    const limit = LOOKED_AT + this.#waits.size;
    for (;;) {
      const page = { now, ...after, limit };
      const rows = await this.context.store.read(() => listDueStimuli.all(page));
      yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < limit) return;
      after = { afterDueAt: last.dueAt, afterId: last.stimulusId };
    }
  }

  /** `held`: it waits for a thread in which somebody has the turn. `none`: there was nothing to do. */
  async #post(stimulus: DueStimulusRow): Promise<'posted' | 'settled' | 'held' | 'none'> {
    const { context } = this;
    const { channelId, stimulusId } = stimulus;
    const claimed = await this.#write(channelId, function* (channel, at) {
      const { events, ...how } = yield* claim(context, channel, stimulusId, at);
      return { events, answer: () => ({ ...how, isSettled: events.length > 0 }) };
    });
    const { attempt, waitsFor, isSettled } = claimed;
    if (waitsFor !== undefined) {
      this.#waits.learn(stimulus, waitsFor);
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
        const events = yield* failed(channel, stimulusId, wordsOf(error), at);
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
