import { WORK_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { channels } from '../channels/module.js';
import { defineModule } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { WORK_EVENTS } from './projection.js';
import { ThreadWorks } from './works.js';

/** Thread work: the goal of a thread, its progress and its bindings. */
export const work = defineModule({
  name: 'work',
  needs: [access, sessions, channels],
  events: WORK_EVENTS,
  tables: { channel: WORK_TABLES },
  create({ sessionContext }) {
    return { services: { threadWork: new ThreadWorks(sessionContext) } };
  },
});
