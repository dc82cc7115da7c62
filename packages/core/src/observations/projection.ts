import { LIMITS } from '@stoa/protocol';
import {
  deleteObservationSource,
  deleteObservations,
  forgetObservations,
  insertObservation,
  putObservationSource,
} from '@stoa/store';
import { logOnly, type Projections } from '../kernel/module.js';

/** The log keeps all observations, the table only the newest. */
export const OBSERVATION_EVENTS: Projections = {
  *observation_source_changed(position, event) {
    const { sourceId } = event.data;
    const { topicId, seq, at, actor } = position;
    yield* putObservationSource.run({ topicId, sourceId, seq, createdBy: actor, createdAt: at });
  },
  // Events contain no secrets: this one only records the actor and the time.
  observation_secret_rotated: logOnly,
  *observation_source_deleted(position, event) {
    const { sourceId } = event.data;
    const { topicId } = position;
    yield* deleteObservations.run({ topicId, sourceId });
    yield* deleteObservationSource.run({ topicId, sourceId });
  },
  *observation_received(position, event) {
    const { sourceId } = event.data;
    const { topicId, seq, at } = position;
    const { proof } = event.data;
    yield* insertObservation.run({ topicId, seq, sourceId, proof, receivedAt: at });
    yield* forgetObservations.run({ sourceId, keep: LIMITS.observationsPerSource });
  },
};
