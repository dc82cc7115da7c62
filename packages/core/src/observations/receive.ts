import {
  channelTopic,
  LIMITS,
  type NewObservation,
  type Observation,
  type ObservationSource,
  StoaError,
  SYSTEM,
} from '@stoa/protocol';
import {
  countObservationsSince,
  findObservationByProof,
  findObservationSecret,
  findObservationSource,
  type Tx,
} from '@stoa/store';
import { assertNotArchived, channelToChange } from '../channels/channel-gate.js';
import { dataOf } from '../kernel/codec.js';
import { defined } from '../kernel/defined.js';
import type { LogEntry } from '../kernel/entry.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { cutText } from '../kernel/short-text.js';
import { addStimulus } from '../stimuli/add-stimulus.js';
import type { StimulusContext } from '../stimuli/context.js';
import { contentOf, type Payload } from './content.js';
import { observationOf, observationRecord, sourceRecord } from './records.js';

const MINUTE_MS = 60_000;
const EXCERPT_CHARS = 200;
/** Verified if there is no such source, so that the answer takes as long as with one. */
const NO_SECRET = 'stoa_there-is-no-such-source';

/** A request that is signed with the secret of a source. */
export interface Delivery {
  readonly sourceId: string;
  readonly deliveryId: string;
  /** Seconds since 1970, as text that the signature covers. */
  readonly signedAt: string;
  readonly signature: string;
  readonly body: Uint8Array;
  /** Called only after the signature was verified. */
  readonly payload: () => Payload;
}

/**
 * Stores an observation and its stimulus in one commit. A repeated delivery id gets the first answer again, and so
 * does a repeated signature with another delivery id: an intercepted request cannot be replayed. All refusals look the
 * same to the sender.
 */
export async function receive(context: StimulusContext, delivery: Delivery): Promise<Observation> {
  const { sourceId, deliveryId, signedAt, signature } = delivery;
  const age = context.clock.now() - Number(signedAt) * 1_000;
  if (!(Math.abs(age) <= LIMITS.observationSkewMs)) throw refused();
  const known = await context.store.read(() => knownSource(sourceId));
  const signed = [`${signedAt}.`, delivery.body];
  const isSigned = context.secrets.verifies(known?.secret ?? NO_SECRET, signed, signature);
  if (!known || !isSigned) throw refused();
  const { channelId } = known.source;
  const payload = delivery.payload();
  const proof = context.secrets.digest(`${signedAt}.${signature}`);
  return context.log.write({
    actor: 'system',
    lane: channelTopic(channelId),
    open: () => channelToChange(SYSTEM, channelId),
    *decide(channel, at): Tx<Decision<Observation>> {
      const now = yield* knownSource(sourceId);
      if (now?.secret !== known.secret) throw refused();
      const earlier = yield* findObservationByProof.first({ sourceId, proof });
      if (earlier) {
        const answer = observationRecord(channelId, earlier);
        return { events: [], answer: () => answer };
      }
      assertNotArchived(channel);
      yield* assertNotTooMany(sourceId, at);
      const { source } = now;
      const content = contentOf(source.template, payload);
      const observationId = context.ids.next('obs');
      const { stimulus, events } = yield* addStimulus(context, channel, {
        kind: 'observation_materialized',
        scope: source.scope,
        visibilityHint: source.visibilityHint,
        ...defined({ threadRootMessageId: source.threadRootMessageId }),
        content,
        addressedMemberIds: [],
        sourceKind: 'observation',
        sourceRef: sourceId,
        availableAt: at,
        metadata: { observationId },
        // A source has the authority of the person who created it.
        ceiling: { mode: 'full', people: [source.createdBy], sessions: [] },
      });
      const data: NewObservation = {
        observationId,
        sourceId,
        deliveryId,
        stimulusId: stimulus.stimulusId,
        excerpt: cutText(content, EXCERPT_CHARS),
        bytes: delivery.body.length,
        proof,
      };
      return {
        events: [
          { topic: channelTopic(channelId), event: { type: 'observation_received', data } },
          ...events,
        ],
        answer: () => observationOf(channelId, data, at),
      };
    },
    // The delivery id alone identifies a delivery, even if its body differs.
    idempotency: idempotency(context.secrets, `${sourceId} ${deliveryId}`, sourceId, (entry) =>
      replayed(channelId, entry),
    ),
  });
}

const replayed = (channelId: string, { body, at }: LogEntry): Observation =>
  observationOf(channelId, dataOf('observation_received', { body }), at);

/** An enabled source with its secret. */
function* knownSource(
  sourceId: string,
): Tx<{ source: ObservationSource; secret: string } | undefined> {
  const row = yield* findObservationSource.first({ sourceId });
  const stored = yield* findObservationSecret.first({ sourceId });
  const source = row && sourceRecord(row);
  return source?.enabled && stored ? { source, secret: stored.secret } : undefined;
}

/** Counts in the store, which several daemons may share. */
function* assertNotTooMany(sourceId: string, at: number): Tx<void> {
  const recent = yield* countObservationsSince.first({ sourceId, since: at - MINUTE_MS });
  if ((recent?.count ?? 0) < LIMITS.observationsPerMinute) return;
  const limit = String(LIMITS.observationsPerMinute);
  throw new StoaError(
    'too_many_observations',
    `A source may report ${limit} observations per minute`,
  );
}

const refused = (): StoaError => new StoaError('observation_refused');
