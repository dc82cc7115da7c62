import {
  findRunRow,
  insertApproval,
  listPendingApprovalsOfRun,
  setRunStatus,
  settleApproval,
  type Tx,
} from '@stoa/store';
import type { Projections } from '../kernel/module.js';

/** Updates the tables of approvals. A run waits until all its questions are settled. */
export const APPROVAL_EVENTS: Projections = {
  *waiting_approval(position, event) {
    const { topicId, seq } = position;
    const { approval } = event.data;
    const { approvalId, runId, callId, kind, createdAt, expiresAt } = approval;
    const row = { topicId, seq, approvalId, runId, callId, kind, createdAt, expiresAt };
    yield* insertApproval.run(row);
    const status = kind === 'question' ? 'waiting_answer' : 'waiting_approval';
    yield* setRunStatus.run({ runId, status });
  },
  *approval_settled(position, event) {
    const { seq, at } = position;
    const { approvalId, runId, state } = event.data;
    yield* settleApproval.run({ approvalId, state, at, seq });
    yield* wakeRun(runId);
  },
};

/** A run without open questions is running again. */
function* wakeRun(runId: string): Tx<void> {
  const run = yield* findRunRow.first({ runId });
  if (run?.status !== 'waiting_approval' && run?.status !== 'waiting_answer') return;
  const [pending] = yield* listPendingApprovalsOfRun.all({ runId });
  const waiting = pending?.kind === 'question' ? 'waiting_answer' : 'waiting_approval';
  yield* setRunStatus.run({ runId, status: pending ? waiting : 'running' });
}
