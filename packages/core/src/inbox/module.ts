import { INBOX_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { agents } from '../agents/module.js';
import { assets } from '../assets/module.js';
import { channels } from '../channels/module.js';
import { on } from '../kernel/hooks.js';
import { defineModule } from '../kernel/module.js';
import { memory } from '../memory/module.js';
import { RUN_CLOSING } from '../runs/end-run.js';
import { runs } from '../runs/module.js';
import { sessions } from '../sessions/module.js';
import { Inbox } from './inbox.js';
import { INBOX_EVENTS } from './projection.js';
import { settleItems } from './settle-item.js';

/** The inbox of a session: the durable queue of everything sent to it. */
export const inbox = defineModule({
  name: 'inbox',
  needs: [access, agents, assets, memory, sessions, channels, runs],
  events: INBOX_EVENTS,
  tables: { session: INBOX_TABLES },
  create({ sessionContext: context }) {
    const service = new Inbox(context);
    return {
      services: { inbox: service },
      within: [on(RUN_CLOSING, (session, runId, end) => settleItems(context, session, runId, end))],
      ticks: [{ everyMs: 5_000, run: () => service.expireDue() }],
    };
  },
});
