import { inbox } from '../inbox/module.js';
import { defineModule } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { Mailbox } from './mailbox.js';

/** Messages from one session to another. */
export const mailbox = defineModule({
  name: 'mailbox',
  needs: [sessions, inbox],
  create({ sessionContext }) {
    return { services: { mailbox: new Mailbox(sessionContext) } };
  },
});
