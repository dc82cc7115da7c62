import {
  actorIdOf,
  type ChannelEvent,
  channelTopic,
  humanTopic,
  type Message,
  type PostMessage,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import { findIdempotencyKey, findMember, type MemberRow, type Tx } from '@stoa/store';
import { assertNotArchived, channelToSpeakIn, type JoinedChannel } from '../access/gate.js';
import { assertIsCaller, authorKindOf } from '../access/rules.js';
import type { LogEntry } from '../log/entry.js';
import type { Decision, NewEvent } from '../log/log.js';
import { admitContent, holdAssets } from './content.js';
import { type ChannelContext, idempotency } from './context.js';
import { admitMetadata } from './metadata.js';
import { postedRecord } from './records.js';
import { placeInThread } from './thread.js';

type Posted = Extract<ChannelEvent, { type: 'message_posted' }>['data'];

/** Admit, log, project: resolves when the message is on disk. */
export async function postMessage(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  request: PostMessage,
  key?: string,
): Promise<Message> {
  assertIsCaller(principal, request.sender?.id);
  const actor = actorIdOf(principal);
  const topic = channelTopic(channelId);
  const metadata = admitMetadata(request.metadata);
  const addressedMemberIds = [...new Set(request.addressedMemberIds)];
  const inputItems = await admitContent(context, request, actor, function* (ready) {
    const channel = yield* channelToSpeakIn(principal, channelId);
    // What was done before is answered again, whatever would be said to it now.
    if (key !== undefined && (yield* findIdempotencyKey.first({ actorId: actor, key }))) return;
    assertNotArchived(channel);
    yield* placeInThread(channel.topicId, request);
    yield* addressed(channel, addressedMemberIds);
    yield* holdAssets(ready);
  });
  return context.log.write({
    actor,
    lane: topic,
    open: () => channelToSpeakIn(principal, channelId),
    *decide(channel): Tx<Decision<Message>> {
      assertNotArchived(channel);
      yield* holdAssets(inputItems);
      const messageId = context.ids.next('msg');
      const posted: Posted = {
        messageId,
        ...(yield* placeInThread(channel.topicId, request)),
        author: { kind: authorKindOf(principal), id: actor, displayName: channel.memberName },
        addressedMemberIds,
        inputItems,
        metadata,
      };
      const mentions = yield* mentionsOf(channel, posted, actor);
      return {
        events: [{ topic, event: { type: 'message_posted', data: posted } }, ...mentions],
        answer: ([entry]) => answerOf(channelId, entry as LogEntry, posted),
      };
    },
    idempotency: idempotency(context.secrets, key, { post: channelId, request }, (entry) =>
      answerOf(channelId, entry, JSON.parse(entry.body) as Posted),
    ),
  });
}

const answerOf = (channelId: string, { seq, at }: LogEntry, posted: Posted): Message =>
  postedRecord(channelId, seq, at, posted);

/** Everybody who is addressed must be here. */
function* addressed(channel: JoinedChannel, memberIds: readonly string[]): Tx<MemberRow[]> {
  const members: MemberRow[] = [];
  for (const memberId of memberIds) {
    const member = yield* findMember.first({ topicId: channel.topicId, memberId });
    if (!member)
      throw new StoaError(
        'unknown_member',
        `There is no member ${memberId} in ${channel.channelId}`,
      );
    members.push(member);
  }
  return members;
}

/** People among those who are addressed are told on their own topic. */
function* mentionsOf(channel: JoinedChannel, posted: Posted, actor: string): Tx<NewEvent[]> {
  const mentions: NewEvent[] = [];
  for (const member of yield* addressed(channel, posted.addressedMemberIds)) {
    if (member.memberKind !== 'human_actor' || member.actorId === actor) continue;
    mentions.push({
      topic: humanTopic(member.actorId.slice('human:'.length)),
      event: {
        type: 'mentioned',
        data: { channelId: channel.channelId, messageId: posted.messageId },
      },
    });
  }
  return mentions;
}
