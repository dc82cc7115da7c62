import { BOARD_TABLES } from '@stoa/store';
import { assets } from '../assets/module.js';
import { defineModule } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { Boards } from './boards.js';
import { BOARD_EVENTS } from './projection.js';

/** Boards: drawings and texts of sessions, with revisions. */
export const boards = defineModule({
  name: 'boards',
  needs: [assets, sessions],
  events: BOARD_EVENTS,
  tables: { session: BOARD_TABLES },
  create({ sessionContext }) {
    return { services: { boards: new Boards(sessionContext) } };
  },
});
