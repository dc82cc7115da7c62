import { CHANNEL_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { agents, DEFINITION_REPLACED } from '../agents/module.js';
import { assets } from '../assets/module.js';
import { on } from '../kernel/hooks.js';
import { defineModule, logOnly } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { channelToRead } from './channel-gate.js';
import { Channels } from './channels.js';
import type { ChannelContext } from './context.js';
import { announceDefinition } from './definition-notices.js';
import { CHANNEL_EVENTS } from './projection.js';

/** Channels: members, messages, threads, reactions, pins. */
export const channels = defineModule({
  name: 'channels',
  needs: [access, assets, agents, sessions],
  topics: [{ kind: 'channel', retention: 'permanent', isSearched: true, mayFollow: channelToRead }],
  events: { ...CHANNEL_EVENTS, mentioned: logOnly, read_cursor_moved: logOnly },
  tables: { channel: CHANNEL_TABLES },
  create(given) {
    const channelContext: ChannelContext = given;
    return {
      services: { channelContext, channels: new Channels(channelContext) },
      within: [
        on(DEFINITION_REPLACED, (agentId, before) =>
          announceDefinition(given.sessionContext, agentId, before),
        ),
      ],
    };
  },
});
