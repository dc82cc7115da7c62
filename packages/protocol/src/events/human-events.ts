import { z } from 'zod';
import { ChannelId, CredentialId, MessageId, Seq } from '../records/ids.js';

/** What concerns one person: mentions, read cursors, their credentials. */
export const HumanEvent = z.discriminatedUnion('type', [
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
]);
export type HumanEvent = z.infer<typeof HumanEvent>;
