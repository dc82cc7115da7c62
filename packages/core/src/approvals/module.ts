import { APPROVAL_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { defineModule, logOnly } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { Approvals } from './approvals.js';
import { APPROVAL_EVENTS } from './projection.js';

const EXPIRED_AT_ONCE = 100;

/** Durable questions about exact tool calls. */
export const approvals = defineModule({
  name: 'approvals',
  needs: [access, sessions],
  events: { ...APPROVAL_EVENTS, approval_requested: logOnly, approval_closed: logOnly },
  tables: { session: APPROVAL_TABLES },
  create({ sessionContext }) {
    const service = new Approvals(sessionContext);
    return {
      services: { approvals: service },
      after: {
        approval_settled: ({ data }) => {
          service.committed(data.approvalId);
        },
      },
      ticks: [
        {
          everyMs: 5_000,
          async run() {
            await service.expire(EXPIRED_AT_ONCE);
            service.hint();
          },
        },
      ],
    };
  },
});
