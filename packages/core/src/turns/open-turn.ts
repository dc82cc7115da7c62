import type { Author, Ceiling, StoredItem, Turn } from '@stoa/protocol';
import { findMessage, type Tx, together } from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import { namedMembers, sessionIdOf } from '../channels/member-name.js';
import { mentioned } from '../channels/mentions.js';
import { textOf } from '../kernel/item-text.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { arbitrate } from './arbitrate.js';
import { carryOut } from './carry-out.js';
import { readThread } from './read-thread.js';

/** A message that is being posted, and may open a turn. */
export interface Opening {
  readonly messageId: string;
  readonly threadRootMessageId?: string | undefined;
  readonly replyToMessageId?: string | undefined;
  readonly author: Author;
  readonly addressedMemberIds: readonly string[];
  readonly inputItems: readonly StoredItem[];
  readonly requestedBy?: string | undefined;
  readonly ceiling?: Ceiling | undefined;
}

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
  opening: Opening,
  at: number,
  { stimulus, selected, byHand }: OpenTurnOptions = {},
): Tx<NewEvent[]> {
  const { messageId, author, inputItems } = opening;
  const text = textOf(inputItems);
  const threadRootMessageId = opening.threadRootMessageId ?? messageId;
  const [selection, thread] = yield* together(
    selectedBy(channel, opening, text),
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
    origin: opening,
    pendingMessage: { messageId, author, inputItems, at },
    at,
  });
}

type Selection = Pick<Turn, 'selected' | 'isForPeople'>;

/** Explicitly addressed members, else members that the text names, else the author of the message it replies to. */
function* selectedBy(
  { topicId }: LockedChannel,
  { addressedMemberIds, replyToMessageId }: Opening,
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
