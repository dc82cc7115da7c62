import { type EventData, type Turn, textOf } from '@stoa/protocol';
import { findMessage, type Tx, together } from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import { namedMembers, sessionIdOf } from '../channels/member-name.js';
import { mentioned } from '../channels/mentions.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { arbitrate } from './arbitrate.js';
import { carryOut } from './carry-out.js';
import { readThread } from './read-thread.js';

interface OpenTurnOptions {
  /** The stimulus that opens the turn instead of a person. */
  readonly stimulus?: Turn['stimulus'];
  /** The session that gets the turn if the message names nobody. */
  readonly selected?: string;
  /** Sessions that are started by hand, in any participation mode. */
  readonly byHand?: readonly string[] | undefined;
}

/**
 * Opens a turn for a message of a person or of a stimulus, and grants the first leases. Sessions that still speak in
 * the thread for an earlier turn continue, and count as speakers of the new turn.
 */
export function* openTurn(
  context: SessionContext,
  channel: LockedChannel,
  posted: EventData<'message_posted'>,
  at: number,
  { stimulus, selected, byHand }: OpenTurnOptions = {},
): Tx<NewEvent[]> {
  const { messageId } = posted;
  const text = textOf(posted.inputItems);
  const threadRootMessageId = posted.threadRootMessageId ?? messageId;
  const [selection, thread] = yield* together(
    selectedBy(channel, posted, text),
    readThread(channel, threadRootMessageId, { messageId, text }),
  );
  if (!thread) return [];
  const isNamed = selection.isForPeople || selection.selected.length > 0;
  const turn: Turn = {
    turnId: context.ids.next('trn'),
    threadRootMessageId,
    originMessageId: messageId,
    openedAt: at,
    ...selection,
    ...(selected === undefined || isNamed ? {} : { selected: [selected] }),
    ...(byHand === undefined ? {} : { byHand: [...byHand] }),
    called: [],
    ...(stimulus === undefined ? {} : { stimulus }),
    served: [],
    replies: 0,
    startedRuns: 0,
    tokens: 0,
  };
  return yield* carryOut(context, {
    channel,
    thread,
    turn,
    decisions: arbitrate({ ...thread.state, turn }, thread.policy, at),
    trigger: { type: 'message', messageId },
    origin: posted,
    pendingMessage: { ...posted, at },
    at,
  });
}

type Selection = Pick<Turn, 'selected' | 'isForPeople'>;

/** Explicitly addressed members, else members that the text names, else the author of the message it replies to. */
function* selectedBy(
  { topicId }: LockedChannel,
  { addressedMemberIds, replyToMessageId }: EventData<'message_posted'>,
  text: string,
): Tx<Selection> {
  const members = yield* namedMembers(topicId);
  const addressed = addressedMemberIds.flatMap((memberId) =>
    members.filter((member) => member.memberId === memberId),
  );
  const named = addressed.length > 0 ? addressed : mentioned(text, members);
  const sessions = named.flatMap(({ actorId }) => sessionIdOf(actorId) ?? []);
  if (named.length > 0) return { selected: sessions, isForPeople: sessions.length === 0 };
  const answered =
    replyToMessageId && (yield* findMessage.first({ topicId, messageId: replyToMessageId }));
  const repliedTo = answered ? sessionIdOf(answered.authorId) : undefined;
  return { selected: repliedTo === undefined ? [] : [repliedTo], isForPeople: false };
}
