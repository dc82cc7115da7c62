import { PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Members of channels. */
export const MEMBERS_ROUTES = tagged('members', {
  listMembers: {
    method: 'GET',
    path: '/v1/channels/:channelId/members',
    summary: 'List the members of a channel',
    access: PEOPLE,
    answer: 'MemberList',
    client: 'members.list',
    unwrap: 'members',
  },
  upsertMember: {
    method: 'POST',
    path: '/v1/channels/:channelId/members',
    summary: 'Join, or add or change a member (others: creator or owner; a session: its director)',
    access: PEOPLE,
    body: 'UpsertMember',
    answer: 'Member',
    client: 'members.upsert',
  },
  removeMember: {
    method: 'DELETE',
    path: '/v1/channels/:channelId/members/:memberId',
    summary: 'Leave, or remove a member (others: creator or owner)',
    access: PEOPLE,
    status: 204,
    client: 'members.remove',
  },
});
