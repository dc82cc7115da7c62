import { type ChannelEvent, LIMITS, type NewStimulus } from '@stoa/protocol';
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
import type { Place } from '../log/entry.js';
import { keysOf } from './equivalence.js';
import { KIND_RULES } from './kinds.js';
import { createdOf } from './records.js';

export type StimulusEvent = Extract<ChannelEvent, { type: `stimulus_${string}` }>;

/** What an event about a stimulus does to the tables. The log keeps all of them; the table the newest. */
export function* projectStimulus(place: Place, event: StimulusEvent): Tx<void> {
  const { topicId, seq, at } = place;
  const { stimulusId } = event.data;
  switch (event.type) {
    case 'stimulus_created': {
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
      return;
    }
    case 'stimulus_claimed': {
      const { attempt: attempts, daemonId } = event.data;
      yield* setStimulusClaimed.run({ stimulusId, attempts, daemonId, at });
      return;
    }
    case 'stimulus_deferred': {
      const { availableAt: dueAt, attempts, reason, error = null } = event.data;
      yield* setStimulusDeferred.run({ stimulusId, dueAt, attempts, reason, error });
      return;
    }
    case 'stimulus_dispatched': {
      const { messageId, threadRootMessageId: rootMessageId, supersedesMessageId } = event.data;
      yield* setStimulusDispatched.run({ stimulusId, messageId, rootMessageId, seq, at });
      yield* deleteStimulusKeys.run({ stimulusId });
      if (supersedesMessageId !== undefined) {
        const superseded = { topicId, messageId: supersedesMessageId, by: messageId };
        yield* setMessageSuperseded.run(superseded);
      }
      yield* forget(topicId);
      return;
    }
    case 'stimulus_settled': {
      const { state, reason, error = null, byStimulusId = null, messageId = null } = event.data;
      const settled = { stimulusId, state, reason, error, byStimulusId, messageId, seq };
      yield* setStimulusSettled.run(settled);
      yield* deleteStimulusKeys.run({ stimulusId });
      yield* forget(topicId);
      return;
    }
    case 'stimulus_replayed': {
      yield* setStimulusReplayed.run({ stimulusId, dueAt: event.data.availableAt });
      const row = yield* findStimulus.first({ topicId, stimulusId });
      if (row) yield* insertKeys(topicId, createdOf(row));
      return;
    }
  }
}

export function* insertKeys(topicId: number, stimulus: NewStimulus): Tx<void> {
  const { stimulusId } = stimulus;
  for (const key of keysOf(stimulus)) yield* insertStimulusKey.run({ topicId, key, stimulusId });
}

function* forget(topicId: number): Tx<void> {
  yield* forgetEndedStimuli.run({ topicId, keep: LIMITS.endedStimuliPerChannel });
}
