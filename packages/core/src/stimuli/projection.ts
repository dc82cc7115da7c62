import { LIMITS, type NewStimulus } from '@stoa/protocol';
import {
  deleteStimulusKeys,
  findStimulus,
  forgetEndedStimuli,
  insertStimulus,
  insertStimulusKey,
  setMessageSuperseded,
  setStimulusClaimed,
  setStimulusDeferred,
  setStimulusDispatched,
  setStimulusReplayed,
  setStimulusSettled,
  type Tx,
} from '@stoa/store';
import type { Projections } from '../kernel/module.js';
import { keysOf } from './equivalence.js';
import { KIND_RULES } from './kinds.js';
import { createdOf } from './records.js';

/**
 * What events of stimuli do to the tables. The log keeps every stimulus; the table keeps those that wait and the newest that
 * ended.
 */
export const STIMULUS_EVENTS: Projections = {
  *stimulus_created(position, event) {
    const { stimulusId } = event.data;
    const { topicId, seq } = position;
    const { kind, threadRootMessageId, visibilityHint, availableAt, expiresAt } = event.data;
    const isPromotion = threadRootMessageId !== undefined && visibilityHint === 'main';
    yield* insertStimulus.run({
      topicId,
      seq,
      stimulusId,
      rootMessageId: threadRootMessageId ?? null,
      wakes: KIND_RULES[kind].wakes && !isPromotion ? 1 : 0,
      dueAt: availableAt,
      expiresAt: expiresAt ?? null,
    });
    yield* insertKeys(topicId, event.data);
  },
  *stimulus_claimed(position, event) {
    const { stimulusId } = event.data;
    const { at } = position;
    const { attempt: attempts, daemonId } = event.data;
    yield* setStimulusClaimed.run({ stimulusId, attempts, daemonId, at });
  },
  *stimulus_deferred(_, event) {
    const { stimulusId } = event.data;
    const { availableAt: dueAt, attempts, reason, error = null } = event.data;
    yield* setStimulusDeferred.run({ stimulusId, dueAt, attempts, reason, error });
  },
  *stimulus_dispatched(position, event) {
    const { stimulusId } = event.data;
    const { topicId, seq, at } = position;
    const { messageId, threadRootMessageId: rootMessageId, supersedesMessageId } = event.data;
    yield* setStimulusDispatched.run({ stimulusId, messageId, rootMessageId, seq, at });
    yield* deleteStimulusKeys.run({ stimulusId });
    if (supersedesMessageId !== undefined) {
      const superseded = { topicId, messageId: supersedesMessageId, by: messageId };
      yield* setMessageSuperseded.run(superseded);
    }
    yield* forget(topicId);
  },
  *stimulus_settled(position, event) {
    const { stimulusId } = event.data;
    const { topicId, seq } = position;
    const { state, reason, error = null, byStimulusId = null, messageId = null } = event.data;
    const settled = { stimulusId, state, reason, error, byStimulusId, messageId, seq };
    yield* setStimulusSettled.run(settled);
    yield* deleteStimulusKeys.run({ stimulusId });
    yield* forget(topicId);
  },
  *stimulus_replayed(position, event) {
    const { stimulusId } = event.data;
    const { topicId } = position;
    yield* setStimulusReplayed.run({ stimulusId, dueAt: event.data.availableAt });
    const row = yield* findStimulus.first({ topicId, stimulusId });
    if (row) yield* insertKeys(topicId, createdOf(row));
  },
};

export function* insertKeys(topicId: number, stimulus: NewStimulus): Tx<void> {
  const { stimulusId } = stimulus;
  for (const key of keysOf(stimulus)) yield* insertStimulusKey.run({ topicId, key, stimulusId });
}

function* forget(topicId: number): Tx<void> {
  yield* forgetEndedStimuli.run({ topicId, keep: LIMITS.endedStimuliPerChannel });
}
