import { findChannelFields, listLeases, listOpenTurns } from '@stoa/store';
import { channelScope } from '../channel-scope.js';
import { settingsOf } from '../channel-settings.js';
import { namedMembers } from '../member-name.js';
import type { ChannelCommand } from './command.js';

const MAX_LEASES = 20;

export const status: ChannelCommand = {
  name: 'status',
  what: 'show the identity, the memory mode, and who has the turn',
  *run({ channel: { topicId, channelId } }) {
    const fields = yield* findChannelFields.first({ topicId });
    const { identity, memoryScope } = channelScope(channelId, settingsOf(fields?.settings ?? '{}'));
    const page = { before: Number.MAX_SAFE_INTEGER, limit: MAX_LEASES };
    const leases = yield* listLeases.all({ topicId, live: 1, ...page });
    const members = yield* namedMembers(topicId);
    const speaking = members.filter((member) =>
      leases.some(({ memberId }) => memberId === member.memberId),
    );
    const names = speaking.map(({ displayName }) => displayName).join(', ');
    const open = (yield* listOpenTurns.all({ topicId })).length;
    const parts = [
      `${identity.id}, memory mode ${memoryScope.mode}`,
      fields?.paused === 1 ? 'paused' : 'not paused',
      names === ''
        ? 'nobody has the turn'
        : `${names} ${speaking.length === 1 ? 'has' : 'have'} the turn`,
      `${String(open)} ${open === 1 ? 'thread' : 'threads'} open`,
    ];
    return { line: `${parts.join('; ')}.` };
  },
};
