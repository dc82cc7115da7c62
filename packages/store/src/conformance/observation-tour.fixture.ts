import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const c1 = { topicId: 1 };
const ofSource = { sourceId: 'src_1' };
const source = { ...c1, ...ofSource, seq: 11, createdBy: 'human:Zoë', createdAt: 11 };
const observation = (n: number) => ({
  ...c1,
  ...ofSource,
  seq: 11 + n,
  proof: `proof ${String(n)}`,
  receivedAt: 20 + n,
});

/** A source of a channel and what came from it, statement by statement; after the tour of stimuli and their events. */
export const observationTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  ['putObservationSource', () => api.putObservationSource.changes(source)],
  ['putObservationSource, again', () => api.putObservationSource.changes({ ...source, seq: 12 })],
  [
    'putObservationSecret',
    () => api.putObservationSecret.changes({ ...c1, ...ofSource, secret: 'a' }),
  ],
  [
    'putObservationSecret, again',
    () => api.putObservationSecret.changes({ ...c1, ...ofSource, secret: 'B' }),
  ],
  ['findObservationSource', () => api.findObservationSource.first(ofSource)],
  ['findObservationSource, none', () => api.findObservationSource.first({ sourceId: 'SRC_1' })],
  ['findObservationSecret', () => api.findObservationSecret.first(ofSource)],
  ['listObservationSources', () => api.listObservationSources.all(c1)],
  ['insertObservation', () => api.insertObservation.changes(observation(1))],
  ['insertObservation, second', () => api.insertObservation.changes(observation(2))],
  ['insertObservation, third', () => api.insertObservation.changes(observation(3))],
  [
    'findObservationByProof',
    () => api.findObservationByProof.first({ ...ofSource, proof: 'proof 2' }),
  ],
  ['countObservationsSince', () => api.countObservationsSince.first({ ...ofSource, since: 21 })],
  ['listObservations', () => api.listObservations.all({ ...ofSource, limit: 2 })],
  ['forgetObservations', () => api.forgetObservations.changes({ ...ofSource, keep: 2 })],
  ['forgetObservations, nothing', () => api.forgetObservations.changes({ ...ofSource, keep: 9 })],
  ['listObservations, after that', () => api.listObservations.all({ ...ofSource, limit: 9 })],
  ['deleteObservations', () => api.deleteObservations.changes({ ...c1, ...ofSource })],
  ['deleteObservationSecret', () => api.deleteObservationSecret.changes(ofSource)],
  ['deleteObservationSource', () => api.deleteObservationSource.changes({ ...c1, ...ofSource })],
];
