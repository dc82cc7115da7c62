import { type Approval, humanTopic, LIMITS, StoaError } from '@stoa/protocol';
import { findApprovalOfCall, listPendingApprovalsOfRun, type Tx } from '@stoa/store';
import { OWNER_ID } from '../access/credentials.js';
import type { NewEvent } from '../kernel/log.js';
import { OWNER_ACTOR } from '../sessions/ceiling-of.js';
import type { SessionContext } from '../sessions/context.js';
import { approvalRecord } from '../sessions/records.js';
import { type factsOf, inSession, type Requested } from '../sessions/run-facts.js';
import type { OpenSession } from '../sessions/session-gate.js';

type RunFacts = ReturnType<typeof factsOf>;

/** A question to people, before it has an id and a time. */
export type NewApproval = Pick<
  Approval,
  | 'kind'
  | 'callId'
  | 'tool'
  | 'title'
  | 'input'
  | 'inputHash'
  | 'detail'
  | 'notes'
  | 'reason'
  | 'suggestedRule'
  | 'options'
> & {
  /** The call only reads or edits in the workspace. */
  readonly staysInWorkspace?: boolean;
};

/** The people who decide for a session: the person it works for, and the owner. */
export function humansAsked({ responsibleId }: Pick<OpenSession, 'responsibleId'>): string[] {
  const responsible = responsibleId.startsWith('human:')
    ? responsibleId.slice('human:'.length)
    : OWNER_ID;
  return [...new Set([responsible, OWNER_ID])];
}

/** Asks people about a call, once: a resumed run finds its earlier question, with the answer if there is one. */
export function* askPeople(
  context: SessionContext,
  session: OpenSession,
  facts: RunFacts,
  requested: Requested,
  asked: NewApproval,
  at: number,
): Tx<{ readonly events: readonly NewEvent[]; readonly answer: Approval }> {
  const { staysInWorkspace = false, ...question } = asked;
  const { runId } = facts;
  const known = yield* findApprovalOfCall.first({ runId, callId: asked.callId });
  if (known) return { events: [], answer: approvalRecord(known) };
  const pending = yield* listPendingApprovalsOfRun.all({ runId });
  if (pending.length >= LIMITS.pendingApprovalsPerRun) {
    throw new StoaError('limit_reached', 'Too many questions of this run wait for an answer');
  }
  const { sessionId } = session;
  const approval: Approval = {
    ...question,
    ...requested,
    ...answerableBy(context, session, question.kind, staysInWorkspace),
    approvalId: context.ids.next('apr'),
    sessionId,
    runId,
    state: 'pending',
    createdAt: at,
    expiresAt: at + context.approvalMs,
  };
  const { approvalId, title } = approval;
  const events: NewEvent[] = [
    inSession(session, { type: 'waiting_approval', data: { approval, ...facts } }),
    ...humansAsked(session).map((humanId) => ({
      topic: humanTopic(humanId),
      event: {
        type: 'approval_requested' as const,
        data: { approvalId, sessionId, runId, title },
      },
    })),
  ];
  return { events, answer: approval };
}

/** Only the owner may allow calls beyond a shared workspace: they run with the rights of the daemon's user. */
function answerableBy(
  { workspaces }: SessionContext,
  { responsibleId, workspace }: OpenSession,
  kind: Approval['kind'],
  staysInWorkspace: boolean,
): Pick<Approval, 'answerableBy'> {
  if (kind === 'question' || staysInWorkspace || responsibleId === OWNER_ACTOR) return {};
  return workspaces.isSelfApproved(workspace) ? {} : { answerableBy: 'owner' };
}

/** Withdraws an open question of a run that ends. */
export function withdrawn(session: OpenSession, approvalId: string, facts: RunFacts): NewEvent[] {
  const state = 'withdrawn' as const;
  const closed = { approvalId, sessionId: session.sessionId, state };
  return [
    inSession(session, { type: 'approval_settled', data: { approvalId, state, ...facts } }),
    ...humansAsked(session).map(
      (humanId): NewEvent => ({
        topic: humanTopic(humanId),
        event: { type: 'approval_closed', data: closed },
      }),
    ),
  ];
}
