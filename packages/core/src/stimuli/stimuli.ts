import {
  actorIdOf,
  type ChannelEvent,
  type CreateStimulus,
  channelTopic,
  type Principal,
  type Stimulus,
  type StimulusState,
  StoaError,
} from '@stoa/protocol';
import {
  type FullStimulusRow,
  findStimulus,
  leaseTime,
  listDueStimuli,
  listExpiredStimuli,
  listLostClaims,
  listStimuli,
  listStimuliWithoutKey,
  type Tx,
  together,
} from '@stoa/store';
import {
  assertNotArchived,
  channelToChange,
  channelToModerate,
  channelToRead,
  channelToSpeakIn,
  type OpenChannel,
} from '../access/gate.js';
import { mayModerate } from '../access/rules.js';
import type { Decision, NewEvent } from '../log/log.js';
import { DAEMON_GONE_MS } from '../sessions/ownership.js';
import { assertRoom } from './add-stimulus.js';
import type { StimulusContext } from './context.js';
import { createStimulus } from './create-stimulus.js';
import { claim, dispatch, failed, wordsOf } from './dispatch.js';
import { insertKeys } from './projection.js';
import { createdOf, stimulusRecord } from './records.js';

const SYSTEM: Principal = { kind: 'system' };
/** Posted at one look; what is left waits for the next, which follows at once. */
const POSTED_AT_ONCE = 20;
const LOOKED_AT = 100;
/** Often enough for claims of daemons that are gone; what is posted at the end of every turn need not wait for it. */
const LOST_EVERY_MS = 5_000;
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
  #lookedForLostAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly context: StimulusContext) {}

  create(by: Principal, channelId: string, request: CreateStimulus, key?: string) {
    return createStimulus(this.context, by, channelId, request, key);
  }

  get(by: Principal, channelId: string, stimulusId: string): Promise<Stimulus> {
    return this.context.sessions.store.read(function* () {
      const channel = yield* channelToRead(by, channelId);
      return stimulusRecord(channelId, yield* existing(channel, stimulusId));
    });
  }

  /** Newest first. */
  list(by: Principal, channelId: string, query: StimulusQuery) {
    const { state = null, threadRootMessageId = null, limit } = query;
    return this.context.sessions.store.read(function* () {
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
    const { store, diagnose } = this.context.sessions;
    const lost = await store.read(() => this.#findLost());
    let requeued = 0;
    for (const { channelId, stimulusId } of lost) {
      try {
        const isDone = await this.#write(channelId, function* (channel, at) {
          const events = yield* failed(channel, stimulusId, CUT_OFF, at, 'none');
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
      const found = await this.context.sessions.store.transact(function* () {
        const rows = yield* listStimuliWithoutKey.all({ limit: LOOKED_AT });
        for (const row of rows) yield* insertKeys(row.topicId, createdOf(row));
        return rows.length;
      });
      indexed += found;
      if (found < LOOKED_AT) return indexed;
    }
  }

  *#findLost(): Tx<{ channelId: string; stimulusId: string }[]> {
    const { daemonId, sessions } = this.context;
    const own = sessions.clock.now();
    const now = (yield* leaseTime.first({ now: own }))?.now ?? own;
    const aliveAfter = now - DAEMON_GONE_MS;
    const staleBefore = own - CLAIM_STALE_MS;
    return yield* listLostClaims.all({ daemonId, aliveAfter, staleBefore, limit: LOOKED_AT });
  }

  /** Posts what is due, a bounded number. Returns whether there may be more. */
  async tick(): Promise<boolean> {
    const { store, clock, diagnose } = this.context.sessions;
    const now = clock.now();
    // A clock that was set back must not keep this from looking.
    if (now < this.#lookedForLostAt || now - this.#lookedForLostAt >= LOST_EVERY_MS) {
      this.#lookedForLostAt = now;
      await this.requeueLost();
    }
    const page = { now, limit: LOOKED_AT };
    const due = await store.read(function* () {
      return (yield* together(listExpiredStimuli.all(page), listDueStimuli.all(page))).flat();
    });
    let posted = 0;
    for (const { channelId, stimulusId } of due) {
      if (posted >= POSTED_AT_ONCE) return true;
      try {
        if (await this.#post(channelId, stimulusId)) posted += 1;
      } catch (error) {
        diagnose('a stimulus could not be looked at', { channelId, stimulusId, error });
      }
    }
    return false;
  }

  async #post(channelId: string, stimulusId: string): Promise<boolean> {
    const { context } = this;
    const attempt = await this.#write(channelId, function* (channel, at) {
      const claimed = yield* claim(context, channel, stimulusId, at);
      return { events: claimed.events, answer: () => claimed.attempt };
    });
    if (attempt === undefined) return false;
    try {
      await this.#write(channelId, function* (channel, at) {
        const events = yield* dispatch(context, channel, stimulusId, attempt, at);
        return { events, answer: () => undefined };
      });
    } catch (error) {
      context.sessions.diagnose('a stimulus could not be posted', { channelId, stimulusId, error });
      await this.#write(channelId, function* (channel, at) {
        const events = yield* failed(channel, stimulusId, wordsOf(error), at);
        return { events, answer: () => undefined };
      });
    }
    return true;
  }

  #write<R>(
    channelId: string,
    decide: (channel: OpenChannel, at: number) => Tx<Decision<R>>,
  ): Promise<R> {
    return this.context.sessions.log.write({
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
    await this.context.sessions.log.write({
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

function* existing({ topicId, channelId }: OpenChannel, stimulusId: string): Tx<FullStimulusRow> {
  const row = yield* findStimulus.first({ topicId, stimulusId });
  if (row) return row;
  throw new StoaError('stimulus_not_found', `There is no stimulus ${stimulusId} in ${channelId}`);
}

const settled = ({ stimulusId, state }: FullStimulusRow): StoaError =>
  new StoaError('stimulus_settled', `${stimulusId} is ${state}`);
