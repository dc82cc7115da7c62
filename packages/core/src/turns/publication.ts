import type { Ceiling, StoredItem } from '@stoa/protocol';
import {
  type FullRunRow,
  findEvent,
  type LeaseRow,
  listItemsOfRun,
  type MemberRow,
  type Tx,
  together,
} from '@stoa/store';
import { hasContent } from '../assets/content.js';
import type { LockedChannel } from '../channels/channel-gate.js';
import { namedMember } from '../channels/member-name.js';
import { type Published, publishMessage } from '../channels/publish-message.js';
import { memberRecord } from '../channels/records.js';
import { dataOf } from '../kernel/codec.js';
import type { RunEnd } from '../runs/run-end.js';
import type { SessionContext } from '../sessions/context.js';
import { itemRecord } from '../sessions/records.js';

/** The output of a run to publish: also if it failed afterwards, but not if it was cancelled. */
export function* outputOf(run: FullRunRow, end: RunEnd): Tx<readonly StoredItem[]> {
  if (end.type === 'completed') return end.output.filter(hasContent);
  if (end.type !== 'failed' || run.outputSeq === null) return [];
  const event = yield* findEvent.first({ topicId: run.topicId, seq: run.outputSeq });
  return event ? dataOf('output_emitted', event).items.filter(hasContent) : [];
}

/** Publishes the output of a run that has the turn. */
export function* publishReply(
  context: SessionContext,
  channel: LockedChannel,
  lease: LeaseRow,
  member: MemberRow,
  output: readonly StoredItem[],
  ceiling: Ceiling | undefined,
): Tx<Published> {
  const [{ actorId, displayName }, items] = yield* together(
    namedMember(memberRecord(member)),
    listItemsOfRun.all({ runId: lease.runId }),
  );
  const delivered = items.map(itemRecord).find(({ delivery }) => delivery !== undefined)?.delivery;
  return yield* publishMessage(channel, {
    messageId: context.ids.next('msg'),
    threadRootMessageId: lease.rootMessageId,
    replyToMessageId: delivered?.replyToMessageId ?? lease.originMessageId,
    author: { kind: 'agent', id: actorId, displayName },
    addressedMemberIds: [],
    inputItems: [...output],
    metadata: {},
    ...(ceiling && { ceiling }),
  });
}
