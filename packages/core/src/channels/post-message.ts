import {
  actorIdOf,
  channelTopic,
  type Message,
  type Metadata,
  type PostMessage,
  type Principal,
  StoaError,
  type StoredItem,
} from '@stoa/protocol';
import { findIdempotencyKey, findMember, type Tx } from '@stoa/store';
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
import { assertMaySay } from './may-say.js';
import { type Posted, publishMessage } from './publish-message.js';
import { postedRecord } from './records.js';
import { placeInThread } from './thread.js';

/** A post that was admitted: everything about it that the channel does not decide. */
export interface Admitted {
  readonly principal: Principal;
  readonly actor: string;
  readonly key: string | undefined;
  readonly request: PostMessage;
  readonly addressedMemberIds: readonly string[];
  readonly metadata: Metadata;
  /** Sessions that are started by hand with it. */
  readonly byHand?: readonly string[];
  /** Whose words it quotes and asks to be done. */
  readonly requestedBy?: string;
}

/** Admit, log, project: resolves when the message is on disk. */
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
  const admitted: Admitted = { principal, actor, key, request, addressedMemberIds, metadata };
  const open = (): Tx<JoinedChannel> => channelToSpeakIn(principal, channelId);
  const content = slash ? withText(request, slash.text) : request;
  const inputItems = await admitContent(context, content, actor, (ready) =>
    rehearse(admitted, open, ready),
  );
  return context.log.write({
    actor,
    lane: channelTopic(channelId),
    open,
    decide: (channel, at) => decidePost(context, admitted, inputItems, channel, at),
    idempotency: idempotency(context.secrets, key, { post: channelId, request }, (entry) =>
      answerOf(channelId, entry, dataOf('message_posted', entry)),
    ),
  });
}

/** Finds what would be refused before inline assets are stored for it. */
function* rehearse(
  { actor, key, request, addressedMemberIds }: Admitted,
  open: () => Tx<JoinedChannel>,
  ready: readonly StoredItem[],
): Tx<void> {
  const channel = yield* open();
  // A member who did this before is answered again, whatever would be said to it now.
  if (key !== undefined && (yield* findIdempotencyKey.first({ actorId: actor, key }))) return;
  assertNotArchived(channel);
  yield* placeInThread(channel.topicId, request);
  yield* assertMembers(channel, addressedMemberIds);
  yield* holdAssets(ready);
}

/** Not a closure: V8 gives every generator closure a prototype of its own, a tenth of the whole post. */
export function* decidePost(
  { ids, hooks }: ChannelContext,
  { principal, actor, request, addressedMemberIds, metadata, byHand, requestedBy }: Admitted,
  inputItems: StoredItem[],
  channel: JoinedChannel,
  at: number,
): Tx<Decision<Message>> {
  assertNotArchived(channel);
  yield* assertMaySay(channel, principal, at);
  yield* holdAssets(inputItems);
  const { channelId, topicId } = channel;
  const thread = yield* placeInThread(topicId, request);
  yield* assertMembers(channel, addressedMemberIds);
  const { posted, events } = yield* publishMessage(channel, {
    messageId: ids.next('msg'),
    ...thread,
    author: { kind: authorKindOf(principal), id: actor, displayName: channel.memberName },
    addressedMemberIds: [...addressedMemberIds],
    inputItems,
    metadata,
    ...(yield* writtenUnder(principal)),
    ...(requestedBy === undefined ? {} : { requestedBy }),
  });
  const opensTurn = channel.sessionCount > 0 && posted.author.kind === 'human';
  const turn = opensTurn
    ? yield* hooks.collect(MESSAGE_POSTED, channel, posted, at, { byHand })
    : [];
  return {
    events: [...events, ...turn],
    answer: ([entry]) => answerOf(channelId, entry as LogEntry, posted),
  };
}

/** What a session posts in a run stays under the ceiling of that run. */
function* writtenUnder(principal: Principal): Tx<Pick<Posted, 'ceiling'>> {
  if (principal.kind !== 'session') return {};
  const ceiling = yield* ceilingOfAuthor(principal);
  return ceiling ? { ceiling } : {};
}

const answerOf = (channelId: string, { seq, at }: LogEntry, posted: Posted): Message =>
  postedRecord(channelId, seq, at, posted);

/** Everybody who is addressed must be here. */
function* assertMembers(channel: JoinedChannel, memberIds: readonly string[]): Tx<void> {
  for (const memberId of memberIds) {
    const member = yield* findMember.first({ topicId: channel.topicId, memberId });
    if (!member)
      throw new StoaError(
        'unknown_member',
        `There is no member ${memberId} in ${channel.channelId}`,
      );
  }
}
