import { z } from 'zod';
import { ApprovalState } from '../records/approval.js';
import {
  ApprovalId,
  ChannelId,
  CredentialId,
  MessageId,
  RunId,
  Seq,
  SessionId,
} from '../records/ids.js';
import { defineTopic } from './define-topic.js';

/** Events of one person: mentions, read cursors, credentials, approvals to answer. */
export const HumanEvent = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('mentioned'),
      data: z.strictObject({ channelId: ChannelId, messageId: MessageId }),
    }),
    z.strictObject({
      type: z.literal('read_cursor_moved'),
      data: z.strictObject({ channelId: ChannelId, readSeq: Seq }),
    }),
    z.strictObject({
      type: z.literal('credential_created'),
      data: z.strictObject({ credentialId: CredentialId, name: z.string() }),
    }),
    z.strictObject({
      type: z.literal('credential_revoked'),
      data: z.strictObject({ credentialId: CredentialId }),
    }),
    z.strictObject({
      type: z.literal('approval_requested'),
      data: z.strictObject({
        approvalId: ApprovalId,
        sessionId: SessionId,
        runId: RunId,
        title: z.string(),
      }),
    }),
    z.strictObject({
      type: z.literal('approval_closed'),
      data: z.strictObject({ approvalId: ApprovalId, sessionId: SessionId, state: ApprovalState }),
    }),
  ]),
);
export type HumanEvent = z.infer<typeof HumanEvent>;

export const humanTopic = defineTopic('human', HumanEvent);
