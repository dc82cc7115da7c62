import { TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { channels } from '../channels/module.js';
import { defineModule } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { WORK_EVENTS } from './projection.js';
import { ThreadWorks } from './works.js';

/** What a thread of a channel works on, and what it is bound to. */
export const work = defineModule({
  name: 'work',
  needs: [access, sessions, channels],
  events: WORK_EVENTS,
  tables: { channel: TABLES.work },
  create({ sessionContext }) {
    return { services: { threadWork: new ThreadWorks(sessionContext) } };
  },
});
