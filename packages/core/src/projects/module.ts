import { PROJECT_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { CHANNEL_DELETING, MEMBER_LEFT } from '../channels/context.js';
import { channels } from '../channels/module.js';
import { on } from '../kernel/hooks.js';
import { defineModule } from '../kernel/module.js';
import { SESSION_ENDING } from '../sessions/context.js';
import { sessions } from '../sessions/module.js';
import { assertNotLinked } from './linked-channels.js';
import { sessionEnding } from './members.js';
import { takeOver } from './mirror.js';
import { projectToRead } from './project-gate.js';
import { PROJECT_EVENTS } from './projection.js';
import { Projects } from './projects.js';

/** No topic has this id. */
const NO_PROJECT = 0;

/** Projects: members, project tasks and linked channels. */
export const projects = defineModule({
  name: 'projects',
  needs: [access, sessions, channels],
  topics: [{ kind: 'project', retention: 'permanent', mayFollow: projectToRead }],
  events: PROJECT_EVENTS,
  tables: { project: PROJECT_TABLES },
  create({ channelContext }) {
    return {
      services: { projects: new Projects(channelContext) },
      within: [
        on(SESSION_ENDING, sessionEnding),
        on(CHANNEL_DELETING, ({ channelId }) => assertNotLinked(channelId)),
        on(MEMBER_LEFT, (channelId, actorId, at) => takeOver(channelId, actorId, NO_PROJECT, at)),
      ],
    };
  },
});
