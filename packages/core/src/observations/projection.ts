import { type ChannelEvent, LIMITS } from '@stoa/protocol';
import {
  deleteObservationSource,
  deleteObservations,
  forgetObservations,
  insertObservation,
  putObservationSource,
  type Tx,
} from '@stoa/store';
import type { Place } from '../log/entry.js';

export type ObservationEvent = Extract<ChannelEvent, { type: `observation_${string}` }>;

/** What an event about observations does to the tables. The log keeps all of them; the table the newest. */
export function* projectObservation(place: Place, event: ObservationEvent): Tx<void> {
  const { topicId, seq, at, actor } = place;
  const { sourceId } = event.data;
  switch (event.type) {
    case 'observation_source_changed':
      yield* putObservationSource.run({ topicId, sourceId, seq, createdBy: actor, createdAt: at });
      return;
    case 'observation_secret_rotated':
      // Secrets are in no event: this one only says who did it, and when.
      return;
    case 'observation_source_deleted':
      yield* deleteObservations.run({ topicId, sourceId });
      yield* deleteObservationSource.run({ topicId, sourceId });
      return;
    case 'observation_received': {
      const { proof } = event.data;
      yield* insertObservation.run({ topicId, seq, sourceId, proof, receivedAt: at });
      yield* forgetObservations.run({ sourceId, keep: LIMITS.observationsPerSource });
      return;
    }
  }
}
