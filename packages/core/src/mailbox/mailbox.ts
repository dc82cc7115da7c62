import type { InboxItem, Principal, SendMailboxMessage } from '@stoa/protocol';
import type { SessionContext } from '../sessions/context.js';
import { sendMailboxMessage } from './send-message.js';

/** What a caller can do with messages between sessions; `by` is the principal the credential proved. */
export class Mailbox {
  constructor(private readonly context: SessionContext) {}

  send(
    by: Principal,
    fromSessionId: string,
    request: SendMailboxMessage,
    key?: string,
  ): Promise<InboxItem> {
    return sendMailboxMessage(this.context, by, fromSessionId, request, key);
  }
}
