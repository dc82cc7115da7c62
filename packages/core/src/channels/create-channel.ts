import {
  actorIdOf,
  type Channel,
  type CreateChannel,
  channelTopic,
  type EventData,
  type Principal,
  StoaError,
  type UpdateChannel,
} from '@stoa/protocol';
import { findHuman, findTopic, insertTopic, type Tx } from '@stoa/store';
import { humanIdOf } from '../access/rules.js';
import { dataOf } from '../kernel/codec.js';
import { defined } from '../kernel/defined.js';
import type { LogEntry } from '../kernel/entry.js';
import { idempotency } from '../kernel/idempotency.js';
import { admitMetadata } from '../kernel/metadata.js';
import { modeWarning, scopeFields } from './channel-scope.js';
import { defaultModeOf, policyOf } from './channel-settings.js';
import type { ChannelContext } from './context.js';

type Created = EventData<'channel_created'>;

/** Creates a channel with its creator as the first member. */
export async function createChannel(
  context: ChannelContext,
  principal: Principal,
  request: CreateChannel,
  key?: string,
): Promise<Channel> {
  const actor = actorIdOf(principal);
  const humanId = humanIdOf(principal);
  const { title, description, purpose } = request;
  const { autonomyPolicy, defaultParticipationMode, identity, memoryScope } = request;
  const channelId = request.channelId ?? context.ids.next('ch').replace('_', '-');
  const created: Created = {
    channelId,
    title,
    ...defined({
      description,
      purpose,
      autonomyPolicy,
      defaultParticipationMode,
      identity,
      memoryScope,
    }),
    metadata: admitMetadata(request.metadata),
  };
  const topic = channelTopic(channelId);
  const channel = await context.log.write({
    actor,
    lane: topic,
    open: nothing,
    *decide(_, at) {
      // Topics outlive their channels, so the id of a deleted channel is never used again.
      if (yield* findTopic.first({ name: topic })) {
        throw new StoaError('channel_exists', `The id ${channelId} is or was in use`);
      }
      yield* insertTopic.first({ name: topic });
      const human = yield* findHuman.first({ humanId });
      const member = {
        memberId: humanId,
        memberKind: 'human_actor' as const,
        actorId: actor,
        displayName: human?.displayName ?? humanId,
        joinedAt: at,
        metadata: {},
      };
      return {
        events: [
          { topic, event: { type: 'channel_created', data: created } },
          { topic, event: { type: 'member_joined', data: { member } } },
        ],
        answer: ([first]) => createdRecord(first as LogEntry, created),
      };
    },
    idempotency: idempotency(context.secrets, key, { create: request }, (entry) =>
      createdRecord(entry, dataOf('channel_created', entry)),
    ),
  });
  warnOfMode(context, channelId, request);
  return channel;
}

export function warnOfMode(
  { diagnose }: ChannelContext,
  channelId: string,
  { memoryScope }: Pick<UpdateChannel, 'memoryScope'>,
): void {
  const warning = modeWarning(memoryScope ?? undefined);
  if (warning !== undefined) diagnose(warning, { channelId });
}

function createdRecord(entry: LogEntry, created: Created): Channel {
  return {
    ...created,
    createdBy: entry.actor,
    createdAt: entry.at,
    updatedAt: entry.at,
    memberCount: 1,
    messageCount: 0,
    pinnedAssetIds: [],
    paused: false,
    autonomyPolicy: policyOf(created),
    defaultParticipationMode: defaultModeOf(created),
    ...scopeFields(created.channelId, created),
    headSeq: 2,
  };
}

function* nothing(): Tx<void> {}
