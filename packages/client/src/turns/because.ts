import type { CandidateReason } from '@stoa/protocol';

/** Why a candidate has its position in the order, or none; follows its name. */
export const BECAUSE: Readonly<Record<CandidateReason, string>> = {
  addressed: 'was addressed',
  called: 'was called by the last reply',
  last_in_thread: 'spoke last in this thread',
  expertise: 'knows what this is about',
  last_in_channel: 'spoke last in this channel',
  member: 'is a member',
  speaking: 'is already speaking',
  muted: 'is muted',
  manual_only: 'takes part only manually',
  others_selected: 'others were addressed',
  served: 'already had its turn',
  cooling_down: 'spoke here a moment ago',
  session_ended: 'its session has ended',
  inbox_full: 'its inbox is full',
  sender: 'sent the message',
};
