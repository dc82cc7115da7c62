import type { NewStimulus, Stimulus, StimulusReason, StimulusState } from '@stoa/protocol';
import type { FullStimulusRow } from '@stoa/store';
import { decode } from '../kernel/codec.js';

export const createdOf = ({ created }: Pick<FullStimulusRow, 'created'>): NewStimulus =>
  decode(created);

export function stimulusRecord(channelId: string, row: FullStimulusRow): Stimulus {
  return {
    ...createdOf(row),
    channelId,
    seq: row.seq,
    state: row.state as StimulusState,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    attempts: row.attempts,
    availableAt: row.dueAt,
    ...(row.rootMessageId === null ? {} : { threadRootMessageId: row.rootMessageId }),
    ...(row.claimedAt === null ? {} : { claimedAt: row.claimedAt }),
    ...(row.dispatchedAt === null ? {} : { dispatchedAt: row.dispatchedAt }),
    ...(row.messageId === null ? {} : { messageId: row.messageId }),
    ...(row.reason === null ? {} : { reason: row.reason as StimulusReason }),
    ...(row.error === null ? {} : { lastError: row.error }),
    ...(row.byStimulusId === null ? {} : { supersededByStimulusId: row.byStimulusId }),
  };
}

/** A stimulus as it was created; also the answer to a repeated idempotency key. */
export function createdRecord(
  channelId: string,
  { seq, at, actor }: { readonly seq: number; readonly at: number; readonly actor: string },
  created: NewStimulus,
): Stimulus {
  return {
    ...created,
    channelId,
    seq,
    state: 'pending',
    createdBy: actor,
    createdAt: at,
    attempts: 0,
  };
}
