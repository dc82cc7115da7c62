import {
  actorIdOf,
  type CreateObservationSource,
  channelTopic,
  LIMITS,
  type Observation,
  type ObservationSource,
  type ObservationSourceSettings,
  type ObservationSourceWithSecret,
  type Principal,
  StoaError,
  type UpdateObservationSource,
} from '@stoa/protocol';
import {
  deleteObservationSecret,
  type FullSourceRow,
  findObservationSource,
  listObservationSources,
  listObservations,
  putObservationSecret,
  type Tx,
} from '@stoa/store';
import {
  assertNotArchived,
  channelToModerate,
  channelToRead,
  type OpenChannel,
} from '../channels/channel-gate.js';
import { resolveThread } from '../channels/thread.js';
import { defined } from '../kernel/defined.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import type { StimulusContext } from '../stimuli/context.js';
import { type Delivery, receive } from './receive.js';
import { observationRecord, sourceRecord } from './records.js';

/**
 * Sources and their observations. Anyone who may read the channel may read its sources; moderators create and change
 * them.
 */
export class Observations {
  constructor(private readonly context: StimulusContext) {}

  receive(delivery: Delivery): Promise<Observation> {
    return receive(this.context, delivery);
  }

  create(by: Principal, request: CreateObservationSource): Promise<ObservationSourceWithSecret> {
    const { channelId, ...wanted } = request;
    const { ids } = this.context;
    const secret = this.#newSecret();
    return this.#write(by, channelId, function* (channel, at) {
      assertNotArchived(channel);
      const { topicId } = channel;
      yield* assertRoom(topicId);
      const settings = { sourceId: ids.next('src'), ...wanted };
      yield* assertValidScope(topicId, settings);
      const { sourceId } = settings;
      yield* putObservationSecret.run({ topicId, sourceId, secret });
      const source = {
        ...settings,
        channelId,
        createdBy: actorIdOf(by),
        createdAt: at,
        updatedAt: at,
      };
      return { events: [changed(channelId, settings)], answer: () => ({ source, secret }) };
    });
  }

  /** Oldest first. */
  list(by: Principal, channelId: string): Promise<ObservationSource[]> {
    return this.context.store.read(function* () {
      const { topicId } = yield* channelToRead(by, channelId);
      return (yield* listObservationSources.all({ topicId })).map(sourceRecord);
    });
  }

  get(by: Principal, sourceId: string): Promise<ObservationSource> {
    return this.context.store.read(function* () {
      return sourceRecord(yield* sourceToRead(by, sourceId));
    });
  }

  /** Newest first. */
  observations(by: Principal, sourceId: string, limit: number): Promise<Observation[]> {
    return this.context.store.read(function* () {
      const { channelId } = yield* sourceToRead(by, sourceId);
      const rows = yield* listObservations.all({ sourceId, limit });
      return rows.map((row) => observationRecord(channelId, row));
    });
  }

  async update(
    by: Principal,
    sourceId: string,
    change: UpdateObservationSource,
  ): Promise<ObservationSource> {
    const { channelId } = await this.get(by, sourceId);
    return this.#write(by, channelId, function* (channel, at) {
      assertNotArchived(channel);
      const source = sourceRecord(yield* existing(sourceId));
      const settings = changedSettings(source, change);
      yield* assertValidScope(channel.topicId, settings);
      const { createdBy, createdAt } = source;
      const answer = { ...settings, channelId, createdBy, createdAt, updatedAt: at };
      return { events: [changed(channelId, settings)], answer: () => answer };
    });
  }

  /** The old secret is invalid from this commit on. */
  async rotate(by: Principal, sourceId: string): Promise<ObservationSourceWithSecret> {
    const { channelId } = await this.get(by, sourceId);
    const secret = this.#newSecret();
    return this.#write(by, channelId, function* ({ topicId }) {
      const source = sourceRecord(yield* existing(sourceId));
      yield* putObservationSecret.run({ topicId, sourceId, secret });
      const event = { type: 'observation_secret_rotated' as const, data: { sourceId } };
      return {
        events: [{ topic: channelTopic(channelId), event }],
        answer: () => ({ source, secret }),
      };
    });
  }

  async delete(by: Principal, sourceId: string): Promise<void> {
    const { channelId } = await this.get(by, sourceId);
    await this.#write(by, channelId, function* () {
      yield* existing(sourceId);
      yield* deleteObservationSecret.run({ sourceId });
      const event = { type: 'observation_source_deleted' as const, data: { sourceId } };
      return {
        events: [{ topic: channelTopic(channelId), event }],
        answer: () => undefined,
      };
    });
  }

  #newSecret(): string {
    return `stoa_${this.context.secrets.generate()}`;
  }

  #write<R>(
    by: Principal,
    channelId: string,
    decide: (channel: OpenChannel, at: number) => Tx<Decision<R>>,
  ): Promise<R> {
    return this.context.log.write({
      actor: actorIdOf(by),
      lane: channelTopic(channelId),
      open: () => channelToModerate(by, channelId),
      decide,
    });
  }
}

function* existing(sourceId: string): Tx<FullSourceRow> {
  const row = yield* findObservationSource.first({ sourceId });
  if (row) return row;
  throw new StoaError('source_not_found', `There is no source ${sourceId}`);
}

function* sourceToRead(by: Principal, sourceId: string): Tx<FullSourceRow> {
  const row = yield* existing(sourceId);
  yield* channelToRead(by, row.channelId);
  return row;
}

function* assertRoom(topicId: number): Tx<void> {
  const limit = LIMITS.observationSourcesPerChannel;
  if ((yield* listObservationSources.all({ topicId })).length < limit) return;
  throw new StoaError('limit_reached', `A channel has at most ${String(limit)} sources`);
}

function* assertValidScope(
  topicId: number,
  { scope, threadRootMessageId }: ObservationSourceSettings,
): Tx<void> {
  if ((scope === 'thread') !== (threadRootMessageId !== undefined)) {
    throw new StoaError(
      'invalid_stimulus',
      'A source of scope thread needs threadRootMessageId; others must not have it',
    );
  }
  yield* resolveThread(topicId, { threadRootMessageId });
}

function changedSettings(
  source: ObservationSource,
  change: UpdateObservationSource,
): ObservationSourceSettings {
  return {
    sourceId: source.sourceId,
    title: change.title ?? source.title,
    scope: change.scope ?? source.scope,
    visibilityHint: change.visibilityHint ?? source.visibilityHint,
    enabled: change.enabled ?? source.enabled,
    ...defined({
      threadRootMessageId: changedField(change.threadRootMessageId, source.threadRootMessageId),
      template: changedField(change.template, source.template),
    }),
  };
}

/** Undefined keeps a field, and null clears it. */
const changedField = (change: string | null | undefined, before: string | undefined) =>
  change === undefined ? before : (change ?? undefined);

const changed = (channelId: string, data: ObservationSourceSettings): NewEvent => ({
  topic: channelTopic(channelId),
  event: { type: 'observation_source_changed', data },
});
