import type { Ceiling, ChannelEvent, StoredItem } from '@stoa/protocol';
import { type FullRunRow, findEvent, type LeaseRow, type MemberRow, type Tx } from '@stoa/store';
import { isSomething } from '../channels/content.js';
import { namedMembers } from '../channels/member-name.js';
import type { RunEnd } from '../sessions/run-end.js';
import type { LockedChannel, TurnContext } from './context.js';
import { textOf } from './read-thread.js';
import { mentioned } from './selection.js';

export type Posted = Extract<ChannelEvent, { type: 'message_posted' }>['data'];

/** What was emitted counts also when the run failed after it; of a run that was cancelled nothing does. */
export function* outputOf(run: FullRunRow, end: RunEnd): Tx<readonly StoredItem[]> {
  if (end.type === 'completed') return end.output.filter(isSomething);
  if (end.type !== 'failed' || run.outputSeq === null) return [];
  const event = yield* findEvent.first({ topicId: run.topicId, seq: run.outputSeq });
  return event ? (JSON.parse(event.body) as { items: StoredItem[] }).items.filter(isSomething) : [];
}

export function* postOf(
  { sessions }: TurnContext,
  { topicId }: LockedChannel,
  lease: LeaseRow,
  member: MemberRow,
  output: readonly StoredItem[],
  ceiling: Ceiling | undefined,
): Tx<Posted> {
  const members = yield* namedMembers(topicId);
  const { displayName, actorId } =
    members.find(({ memberId }) => memberId === member.memberId) ?? member;
  const others = members.filter(({ memberId }) => memberId !== member.memberId);
  return {
    messageId: sessions.ids.next('msg'),
    threadRootMessageId: lease.rootMessageId,
    replyToMessageId: lease.originMessageId,
    author: { kind: 'agent', id: actorId, displayName },
    addressedMemberIds: mentioned(textOf(output), others).map(({ memberId }) => memberId),
    inputItems: [...output],
    metadata: {},
    ...(ceiling && { ceiling }),
  };
}
