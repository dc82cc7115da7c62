import { PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Who speaks in a channel, and why. */
export const TURNS_ROUTES = tagged('turns', {
  listLeases: {
    method: 'GET',
    path: '/v1/channels/:channelId/leases',
    summary: 'List the leases of a channel, newest first',
    access: PEOPLE,
    query: 'ListLeasesQuery',
    answer: 'ListLeasesAnswer',
    client: 'turns.leases',
    unwrap: 'leases',
  },
  listDecisions: {
    method: 'GET',
    path: '/v1/channels/:channelId/threads/:messageId/decisions',
    summary: 'List the decisions about who speaks in a thread, newest first',
    access: PEOPLE,
    query: 'ListDecisionsQuery',
    answer: 'ListDecisionsAnswer',
    paging: 'before',
    client: 'turns.decisions',
  },
});
