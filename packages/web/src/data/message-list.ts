import type { Message, Stamped } from '@stoa/protocol';

/** Messages of one channel in the order of its log, each once. */
export type MessageList = readonly Message[];

/** Inserts messages in order; a known message is replaced by its newer version. */
export function merged(list: MessageList, more: MessageList): MessageList {
  const last = list.at(-1);
  if (more.every(({ seq }) => last === undefined || seq > last.seq)) return [...list, ...more];
  const bySeq = new Map(list.map((message) => [message.seq, message]));
  for (const message of more) bySeq.set(message.seq, message);
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/** Only for a message in the list; earlier messages are ignored. */
export function replaced(list: MessageList, message: Message): MessageList {
  const at = indexOf(list, message.seq);
  return at === undefined ? list : list.with(at, message);
}

function indexOf(list: MessageList, seq: number): number | undefined {
  let low = 0;
  let high = list.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = list[middle]?.seq ?? 0;
    if (found === seq) return middle;
    if (found < seq) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** The message that an event has just posted. */
export function messageOf(
  event: Extract<Stamped, { type: 'message_posted' }>,
  channelId: string,
): Message {
  const { data, seq, at } = event;
  return { ...data, channelId, seq, createdAt: at, replyCount: 0, reactions: [] };
}

/** The messages that are not any more what they were, besides one that is new. */
export function changedBy(event: Stamped): readonly string[] {
  switch (event.type) {
    case 'message_posted': {
      const { threadRootMessageId } = event.data;
      return threadRootMessageId === undefined ? [] : [threadRootMessageId];
    }
    case 'message_edited':
    case 'message_deleted':
    case 'reaction_set':
    case 'reaction_unset':
      return [event.data.messageId];
    case 'stimulus_dispatched': {
      const { supersedesMessageId } = event.data;
      return supersedesMessageId === undefined ? [] : [supersedesMessageId];
    }
    default:
      return [];
  }
}
