import {
  actorIdOf,
  channelTopic,
  type EventData,
  LIMITS,
  type Message,
  type Metadata,
  type PostMessage,
  type Principal,
  StoaError,
  type StoredItem,
} from '@stoa/protocol';
import {
  countPostsSince,
  findIdempotencyKey,
  findMember,
  findSpeaking,
  type Tx,
} from '@stoa/store';
import { assertIsCaller, authorKindOf } from '../access/rules.js';
import { admitContent, holdAssets } from '../assets/content.js';
import { dataOf } from '../kernel/codec.js';
import type { LogEntry } from '../kernel/entry.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { ceilingOfAuthor } from '../sessions/ceiling-of.js';
import { assertNotArchived, channelToSpeakIn, type JoinedChannel } from './channel-gate.js';
import { giveCommand, slashIn, withText } from './commands/give-command.js';
import { type ChannelContext, MESSAGE_POSTED } from './context.js';
import { publishMessage } from './publish-message.js';
import { postedRecord } from './records.js';
import { resolveThread } from './thread.js';

/** A valid request to post, before the channel is read. */
export interface AdmittedPost {
  readonly principal: Principal;
  readonly actor: string;
  readonly key: string | undefined;
  readonly request: PostMessage;
  readonly addressedMemberIds: readonly string[];
  readonly metadata: Metadata;
  /** Sessions that the post starts in any participation mode. */
  readonly byHand?: readonly string[];
  /** The person whose request it quotes. */
  readonly requestedBy?: string;
}

/** Resolves when the message is stored. */
export async function postMessage(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  request: PostMessage,
  key?: string,
): Promise<Message> {
  assertIsCaller(principal, request);
  const actor = actorIdOf(principal);
  const metadata = admitMetadata(request.metadata);
  const slash = slashIn(principal, request);
  if (slash?.type === 'command') {
    return giveCommand(context, principal, channelId, { slash, request, metadata, key });
  }
  const addressedMemberIds = [...new Set(request.addressedMemberIds)];
  const admitted: AdmittedPost = { principal, actor, key, request, addressedMemberIds, metadata };
  const open = (): Tx<JoinedChannel> => channelToSpeakIn(principal, channelId);
  const content = slash ? withText(request, slash.text) : request;
  const inputItems = await admitContent(context, content, actor, (ready) =>
    assertMayPost(admitted, open, ready),
  );
  return context.log.write({
    actor,
    lane: channelTopic(channelId),
    open,
    decide: (channel, at) => decidePost(context, admitted, inputItems, channel, at),
    idempotency: idempotency(context.secrets, key, { post: channelId, request }, (entry) =>
      postedRecord(channelId, entry, dataOf('message_posted', entry)),
    ),
  });
}

/** Refuses a post before its inline assets are stored. */
function* assertMayPost(
  { actor, key, request, addressedMemberIds }: AdmittedPost,
  open: () => Tx<JoinedChannel>,
  ready: readonly StoredItem[],
): Tx<void> {
  const channel = yield* open();
  // A repeated key gets the first answer again, even if the post would be refused now.
  if (key !== undefined && (yield* findIdempotencyKey.first({ actorId: actor, key }))) return;
  assertNotArchived(channel);
  yield* resolveThread(channel.topicId, request);
  yield* assertMembers(channel, addressedMemberIds);
  yield* holdAssets(ready);
}

/** Not a closure: V8 creates a prototype for every generator closure, which costs a tenth of the whole post. */
export function* decidePost(
  { ids, hooks }: ChannelContext,
  { principal, actor, request, addressedMemberIds, metadata, byHand, requestedBy }: AdmittedPost,
  inputItems: StoredItem[],
  channel: JoinedChannel,
  at: number,
): Tx<Decision<Message>> {
  assertNotArchived(channel);
  yield* assertSessionMayPost(channel, principal, at);
  yield* holdAssets(inputItems);
  const { channelId, topicId } = channel;
  const thread = yield* resolveThread(topicId, request);
  yield* assertMembers(channel, addressedMemberIds);
  const { posted, events } = yield* publishMessage(channel, {
    messageId: ids.next('msg'),
    ...thread,
    author: { kind: authorKindOf(principal), id: actor, displayName: channel.memberName },
    addressedMemberIds: [...addressedMemberIds],
    inputItems,
    metadata,
    ...(yield* ceilingFor(principal)),
    ...(requestedBy === undefined ? {} : { requestedBy }),
  });
  const opensTurn = channel.sessionCount > 0 && posted.author.kind === 'human';
  const turn = opensTurn
    ? yield* hooks.collect(MESSAGE_POSTED, channel, posted, at, { byHand })
    : [];
  return {
    events: [...events, ...turn],
    answer: ([entry]) => postedRecord(channelId, entry as LogEntry, posted),
  };
}

const HOUR_MS = 3_600_000;
/** Only the newest messages of a channel are counted. */
const MAX_COUNTED_MESSAGES = 1_000;

/**
 * Limits what a session posts outside of its turns, which no budget does. In a channel where it has the turn it cannot
 * post at all: its reply is published when its run ends.
 */
function* assertSessionMayPost(
  { topicId, channelId }: JoinedChannel,
  by: Principal,
  at: number,
): Tx<void> {
  if (by.kind !== 'session') return;
  const { id: sessionId } = by;
  if (yield* findSpeaking.first({ topicId, sessionId })) {
    throw new StoaError(
      'turn_in_progress',
      'This session has the turn in that channel: its answer is published there when its run ends',
    );
  }
  const since = at - HOUR_MS;
  const own = { topicId, authorId: `session:${sessionId}`, since, among: MAX_COUNTED_MESSAGES };
  const count = (yield* countPostsSince.first(own))?.count ?? 0;
  if (count < LIMITS.messagesOfSessionPerHour) return;
  throw new StoaError(
    'too_many_messages',
    `${sessionId} posted ${String(count)} messages in ${channelId} within an hour`,
  );
}

/** A message that a session posts in a run has the ceiling of that run. */
function* ceilingFor(principal: Principal): Tx<Pick<EventData<'message_posted'>, 'ceiling'>> {
  if (principal.kind !== 'session') return {};
  const ceiling = yield* ceilingOfAuthor(principal);
  return ceiling ? { ceiling } : {};
}

function* assertMembers(channel: JoinedChannel, memberIds: readonly string[]): Tx<void> {
  for (const memberId of memberIds) {
    const member = yield* findMember.first({ topicId: channel.topicId, memberId });
    if (member) continue;
    throw new StoaError('unknown_member', `There is no member ${memberId} in ${channel.channelId}`);
  }
}
