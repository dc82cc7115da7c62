import type { Author, Ceiling, StoredItem, Turn } from '@stoa/protocol';
import { findMessage, type Tx, together } from '@stoa/store';
import { namedMembers, sessionIdOf } from '../channels/member-name.js';
import { mentioned } from '../channels/named-members.js';
import { textOf } from '../kernel/item-text.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { arbitrate } from './arbitrate.js';
import { carryOut, toAnswer } from './carry-out.js';
import type { LockedChannel } from './context.js';
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

/** What else a turn begins with. */
interface How {
  /** That opened it, instead of a person. */
  readonly stimulus?: Turn['stimulus'];
  /** The session that is asked although the message names nobody. */
  readonly selected?: string;
  /** Members who are asked by hand, whatever their mode. */
  readonly byHand?: readonly string[] | undefined;
}

/**
 * What follows from a message of a person, or from what a stimulus became: a new turn in its thread, and
 * whoever may speak first. Those who are speaking there go on, and count against the new turn.
 */
export function* openTurn(
  context: SessionContext,
  channel: LockedChannel,
  opening: Opening,
  at: number,
  { stimulus, selected, byHand }: How = {},
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
    decisions: arbitrate({ ...thread.around, turn }, thread.policy, at),
    trigger: { type: 'message', messageId },
    toAnswer: toAnswer(messageId, opening),
    unheard: { messageId, author, inputItems, at },
    at,
  });
}

type Selection = Pick<Turn, 'selected' | 'isForPeople'>;

/** First what is said outright, then what the text names, then whose message it answers. */
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
