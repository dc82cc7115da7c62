import type { InboxItem, Principal, SendMailboxMessage } from '@stoa/protocol';
import { inbox } from '../inbox/module.js';
import { defineModule } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { sendMailboxMessage } from './send-message.js';

/** Messages from one session to another. */
export const mailbox = defineModule({
  name: 'mailbox',
  needs: [sessions, inbox],
  create({ sessionContext }) {
    return {
      services: {
        mailbox: {
          send: (
            by: Principal,
            fromSessionId: string,
            request: SendMailboxMessage,
            key?: string,
          ): Promise<InboxItem> =>
            sendMailboxMessage(sessionContext, by, fromSessionId, request, key),
        },
      },
    };
  },
});
