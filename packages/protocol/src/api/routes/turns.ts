import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { ChannelId, MessageId, Seq } from '../../records/ids.js';
import { Lease, StampedDecision } from '../../records/turn.js';
import { PEOPLE } from '../access-table.js';
import type { Route } from '../route.js';

const inChannel = z.strictObject({ channelId: ChannelId });
const inThread = z.strictObject({ channelId: ChannelId, messageId: MessageId });

/** Who speaks in a channel, and why. */
export const TURNS_ROUTES = {
  listLeases: {
    method: 'GET',
    path: '/v1/channels/:channelId/leases',
    tag: 'turns',
    summary: 'Who has a turn in a channel, or had one; newest first',
    access: PEOPLE,
    params: inChannel,
    query: z.strictObject({
      state: z.enum(['live', 'all']).default('live'),
      limit: z.int().min(1).max(LIMITS.pageSize).default(50),
    }),
    answer: z.strictObject({ leases: z.array(Lease) }),
    status: 200,
  },
  listDecisions: {
    method: 'GET',
    path: '/v1/channels/:channelId/threads/:messageId/decisions',
    tag: 'turns',
    summary: 'What was decided about who speaks in a thread, and why; newest first',
    access: PEOPLE,
    params: inThread,
    query: z.strictObject({
      before: Seq.optional(),
      limit: z.int().min(1).max(LIMITS.decisionsPerPage).default(20),
    }),
    answer: z.strictObject({ decisions: z.array(StampedDecision), nextBefore: Seq.optional() }),
    status: 200,
  },
} as const satisfies Record<string, Route>;
