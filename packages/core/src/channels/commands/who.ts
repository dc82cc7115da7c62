import { scopeOfChannel } from '../channel-scope.js';
import { namedMembers } from '../member-name.js';
import type { ChannelCommand } from './command.js';

const MAX_NAMES = 20;

export const who: ChannelCommand = {
  name: 'who',
  what: 'show the identity, the memory, and the members',
  *run({ channel }) {
    const scope = yield* scopeOfChannel(channel.channelId);
    const members = yield* namedMembers(channel.topicId);
    const named = members
      .slice(0, MAX_NAMES)
      .map(({ displayName, memberKind }) =>
        memberKind === 'session' ? `${displayName} (agent)` : displayName,
      );
    const left = members.length - named.length;
    const more = left > 0 ? ` and ${String(left)} more` : '';
    const { displayName = '', namespace = '' } = { ...scope?.identity, ...scope?.memoryScope };
    return { line: `${displayName}, memory ${namespace}. Here: ${named.join(', ')}${more}.` };
  },
};
