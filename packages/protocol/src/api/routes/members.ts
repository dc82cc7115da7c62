import { z } from 'zod';
import { ChannelId, MemberId } from '../../records/ids.js';
import { Member, UpsertMember } from '../../records/member.js';
import { PEOPLE } from '../access-table.js';
import { MemberList } from '../pages.js';
import type { Route } from '../route.js';

const inChannel = z.strictObject({ channelId: ChannelId });
const inMember = z.strictObject({ channelId: ChannelId, memberId: MemberId });

/** Who is in a channel. */
export const MEMBERS_ROUTES = {
  listMembers: {
    method: 'GET',
    path: '/v1/channels/:channelId/members',
    tag: 'members',
    summary: 'List the members of a channel',
    access: PEOPLE,
    params: inChannel,
    answer: MemberList,
    status: 200,
  },
  upsertMember: {
    method: 'POST',
    path: '/v1/channels/:channelId/members',
    tag: 'members',
    summary:
      'Join, or add or change a member (others: creator or owner; a session: whoever directs it)',
    access: PEOPLE,
    params: inChannel,
    body: UpsertMember,
    answer: Member,
    status: 200,
  },
  removeMember: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/members/:memberId',
    tag: 'members',
    summary: 'Leave, or remove a member (others: creator or owner)',
    access: PEOPLE,
    params: inMember,
    status: 204,
  },
} as const satisfies Record<string, Route>;
