import type { Principal } from '@stoa/protocol';
import { access } from '../access/module.js';
import { agents } from '../agents/module.js';
import { assets } from '../assets/module.js';
import { channels } from '../channels/module.js';
import { on } from '../kernel/hooks.js';
import { defineModule } from '../kernel/module.js';
import { mailbox } from '../mailbox/module.js';
import { runs } from '../runs/module.js';
import { RUN_ACTIONS } from '../runs/run-actions.js';
import { schedules } from '../schedules/module.js';
import { sessions } from '../sessions/module.js';
import { stimuli } from '../stimuli/module.js';
import { subagents } from '../subagents/module.js';
import { tasks } from '../tasks/module.js';
import { createChannelActions, createRunActions } from './create-run-actions.js';
import { assertMayPost } from './may-post.js';

/** What tools do to the domain, as the session of their run. */
export const runActions = defineModule({
  name: 'run-actions',
  needs: [
    access,
    assets,
    agents,
    sessions,
    channels,
    runs,
    mailbox,
    stimuli,
    schedules,
    tasks,
    subagents,
  ],
  create(given) {
    const { assertMayUse, runner } = given;
    const mayPost = { assertMayUse, runOf: (id: string) => runner.contextOf(id) };
    return {
      services: {
        /** Throws when a session may not post now: its rules forbid it, or it has the turn in that channel. */
        assertMayPost: (by: Principal, channelId: string) => assertMayPost(mayPost, by, channelId),
        /** What a session does in channels outside of a run. */
        channelActions: (by: Principal) => createChannelActions(given, by),
      },
      within: [on(RUN_ACTIONS, (run) => createRunActions(given, run))],
    };
  },
});
