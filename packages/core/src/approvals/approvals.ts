import {
  type AnswerApproval,
  type Approval,
  type ApprovalScope,
  type ApprovalState,
  actorIdOf,
  humanTopic,
  LIMITS,
  type PermissionRules,
  type Principal,
  StoaError,
  sessionTopic,
} from '@stoa/protocol';
import {
  beginWorkspaceRules,
  findApproval,
  findQueuedRun,
  listApprovals,
  listOverdueApprovals,
  lockWorkspaceRules,
  putWorkspaceRules,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { decode } from '../kernel/codec.js';
import { eachIsolated } from '../kernel/each-isolated.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { AFTER_ALL_IDS, readPage } from '../kernel/paging.js';
import { extendRules } from '../permissions/rules.js';
import type { SessionContext } from '../sessions/context.js';
import { approvalRecord } from '../sessions/records.js';
import { factsOf, inSession, workOfRun } from '../sessions/run-facts.js';
import { mayDirect, type OpenSession, sessionToServe } from '../sessions/session-gate.js';
import { humansAsked } from './ask.js';

/** Returns why the arguments that a person changed do not fit, or undefined if they fit. Must not throw. */
export type WhyUnfit = (input: unknown) => string | undefined;

interface ApprovalQuery {
  readonly state?: ApprovalState | undefined;
  readonly sessionId?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

interface Waiter {
  readonly done: (approval: Approval) => void;
  readonly whyUnfit: WhyUnfit | undefined;
}

/** Durable questions about exact tool calls and their answers. */
export class Approvals {
  /** Runs of this daemon that wait for an answer. */
  readonly #waiters = new Map<string, Set<Waiter>>();

  constructor(private readonly context: SessionContext) {}

  async get(by: Principal, approvalId: string): Promise<Approval> {
    const row = await this.context.store.read(() => findApproval.first({ approvalId }));
    if (!row) throw new StoaError('approval_not_found', `There is no approval ${approvalId}`);
    assertMaySee(by, row);
    return approvalRecord(row);
  }

  /** Newest first. People see the approvals of sessions that work for them. */
  async list(by: Principal, { state, sessionId, before, limit }: ApprovalQuery) {
    const filter = {
      before: before ?? AFTER_ALL_IDS,
      state: state ?? null,
      sessionId: sessionId ?? null,
      responsibleId: callerClass(by) === 'admin' ? null : actorIdOf(by),
    };
    const { rows, resumeAfter } = await this.context.store.read(() =>
      readPage(limit, (count) => listApprovals.all({ ...filter, limit: count })),
    );
    return {
      approvals: rows.map(approvalRecord),
      ...(resumeAfter && { nextBefore: resumeAfter.approvalId }),
    };
  }

  /** The first answer counts; later answers are refused with its outcome. */
  async answer(by: Principal, approvalId: string, answer: AnswerApproval): Promise<Approval> {
    const known = await this.get(by, approvalId);
    assertMayAnswer(by, known);
    assertFits(known, answer);
    if (known.state === 'pending') this.#assertUsable(approvalId, answer);
    const { context } = this;
    await context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(known.sessionId),
      open: () => sessionToServe(known.sessionId),
      *decide(session, at): Tx<Decision<void>> {
        const row = yield* findApproval.first({ approvalId });
        if (!row) throw new StoaError('approval_not_found', `There is no approval ${approvalId}`);
        assertMaySee(by, row);
        const approval = approvalRecord(row);
        assertMayAnswer(by, approval);
        if (approval.state !== 'pending') throw settledAlready(approval);
        const events = yield* settle(session, approval, {
          ...settlementOf(answer),
          answeredBy: actorIdOf(by),
        });
        const rules = rulesOf(approval, answer);
        if (rules && scopeOf(answer) === 'session') {
          assertFew(extendRules(decode(session.permissions), rules));
          const data = { permissions: rules };
          events.push(inSession(session, { type: 'permissions_extended', data }));
        } else if (rules) yield* extendWorkspace(session.workspace, actorIdOf(by), rules, at);
        return { events, answer: () => undefined };
      },
    });
    return this.get(by, approvalId);
  }

  /** Settles questions that nobody answered in time. Returns their number. */
  async expire(limit: number): Promise<number> {
    const { context } = this;
    const now = context.clock.now();
    const due = await context.store.read(() => listOverdueApprovals.all({ now, limit }));
    await eachIsolated(context, 'an approval could not expire', due, ({ approvalId, sessionId }) =>
      context.log.write({
        actor: 'system',
        lane: sessionTopic(sessionId),
        open: () => sessionToServe(sessionId),
        *decide(session): Tx<Decision<void>> {
          const row = yield* findApproval.first({ approvalId });
          const events =
            row?.state === 'pending'
              ? yield* settle(session, approvalRecord(row), { state: 'expired' })
              : [];
          return { events, answer: () => undefined };
        },
      }),
    );
    return due.length;
  }

  /** Resolves when the question is settled. Rejects when the signal aborts. */
  async settled(approvalId: string, signal: AbortSignal, whyUnfit?: WhyUnfit): Promise<Approval> {
    return new Promise<Approval>((resolve, reject) => {
      const waiters = this.#waiters.get(approvalId) ?? new Set<Waiter>();
      const leave = (): void => {
        waiters.delete(waiter);
        if (waiters.size === 0) this.#waiters.delete(approvalId);
        signal.removeEventListener('abort', abort);
      };
      const done = (approval: Approval): void => {
        leave();
        resolve(approval);
      };
      const abort = (): void => {
        leave();
        reject(new StoaError('run_ended', 'The run ended before the question was settled'));
      };
      const waiter: Waiter = { done, whyUnfit };
      waiters.add(waiter);
      this.#waiters.set(approvalId, waiters);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      // It may have been settled before this waiter was added.
      else void this.#check(approvalId).catch(reject);
    });
  }

  /** Wakes runs that wait for this approval. */
  committed(approvalId: string): void {
    if (this.#waiters.has(approvalId)) this.#checkLater(approvalId);
  }

  /** Another daemon may have settled approvals. */
  hint(): void {
    for (const approvalId of this.#waiters.keys()) this.#checkLater(approvalId);
  }

  #checkLater(approvalId: string): void {
    this.#check(approvalId).catch((error: unknown) => {
      this.context.diagnose('an approval could not be read', { approvalId, error: String(error) });
    });
  }

  async #check(approvalId: string): Promise<void> {
    const row = await this.context.store.read(() => findApproval.first({ approvalId }));
    if (!row || row.state === 'pending') return;
    for (const { done } of [...(this.#waiters.get(approvalId) ?? [])]) done(approvalRecord(row));
  }

  /** Checks changed arguments with the run that waits. If it runs on another daemon, its call fails instead. */
  #assertUsable(approvalId: string, answer: AnswerApproval): void {
    if (answer.decision !== 'allow' || answer.updatedInput === undefined) return;
    for (const { whyUnfit } of this.#waiters.get(approvalId) ?? []) {
      const why = whyUnfit?.(answer.updatedInput);
      if (why !== undefined) throw new StoaError('invalid_request', why);
    }
  }
}

/** Only people decide; neither a message nor a session is consent. */
function assertMaySee(by: Principal, row: { readonly responsibleId: string }): void {
  if (mayDirect(by, row)) return;
  throw new StoaError('forbidden', 'Only the person it works for and the owner may decide this');
}

/** Commands run as the user of the daemon, so only the owner may allow them in a shared workspace. */
function assertMayAnswer(by: Principal, { answerableBy }: Approval): void {
  if (answerableBy !== 'owner' || callerClass(by) === 'admin') return;
  throw new StoaError(
    'forbidden',
    'Only the owner answers calls that run programs or reach outside a shared workspace; ' +
      '`approve: self` of the workspace in stoa.yaml changes that',
  );
}

function assertFits(approval: Approval, answer: AnswerApproval): void {
  const isAnswer = answer.decision === 'answer';
  if (isAnswer !== (approval.kind === 'question') && answer.decision !== 'deny') {
    throw new StoaError(
      'invalid_request',
      approval.kind === 'question' ? 'This is a question: answer or deny it' : 'Allow or deny it',
    );
  }
  if (answer.decision !== 'allow') return;
  if (answer.inputHash !== undefined && answer.inputHash !== approval.inputHash) {
    throw new StoaError(
      'input_changed',
      'The hash is not that of the arguments that are asked about',
    );
  }
  if (answer.updatedInput !== undefined && scopeOf(answer) !== 'once') {
    throw new StoaError('invalid_request', 'Changed arguments are approved once, not always');
  }
  if (scopeOf(answer) !== 'once' && approval.suggestedRule === undefined) {
    throw new StoaError('invalid_request', 'No rule describes this call; it can be allowed once');
  }
}

function settledAlready(approval: Approval): StoaError {
  const by = approval.answeredBy === undefined ? '' : ` by ${approval.answeredBy}`;
  return new StoaError('approval_settled', `It was ${approval.state}${by}`);
}

type Settlement = Pick<Approval, 'state' | 'scope' | 'answeredBy' | 'updatedInput' | 'answer'>;

function settlementOf(answer: AnswerApproval): Settlement {
  switch (answer.decision) {
    case 'allow':
      return {
        state: 'allowed',
        scope: scopeOf(answer),
        ...(answer.updatedInput === undefined ? {} : { updatedInput: answer.updatedInput }),
      };
    case 'deny':
      return {
        state: 'denied',
        scope: scopeOf(answer),
        ...(answer.message === undefined ? {} : { answer: answer.message }),
      };
    case 'answer':
      return { state: 'answered', answer: answer.answer };
  }
}

function* settle(session: OpenSession, approval: Approval, settlement: Settlement): Tx<NewEvent[]> {
  const { approvalId, runId } = approval;
  const run = yield* findQueuedRun.first({ runId });
  const work = workOfRun(run);
  const data = { approvalId, ...settlement, ...factsOf(session, runId, work) };
  const closed = { approvalId, sessionId: session.sessionId, state: settlement.state };
  return [
    inSession(session, { type: 'approval_settled', data }),
    ...humansAsked(session).map((humanId) => ({
      topic: humanTopic(humanId),
      event: { type: 'approval_closed' as const, data: closed },
    })),
  ];
}

/** By default an answer applies once. */
function scopeOf(answer: AnswerApproval): ApprovalScope {
  return (answer.decision === 'answer' ? undefined : answer.scope) ?? 'once';
}

/** The rule that an answer for more than once adds. */
function rulesOf(approval: Approval, answer: AnswerApproval): PermissionRules | undefined {
  if (scopeOf(answer) === 'once') return undefined;
  if (approval.suggestedRule === undefined) return undefined;
  const rules = [approval.suggestedRule];
  return answer.decision === 'allow' ? { allow: rules } : { deny: rules };
}

/** A person's rules apply to that person's sessions, the owner's to all sessions in the workspace. */
function* extendWorkspace(
  workspace: string,
  authorId: string,
  rules: PermissionRules,
  at: number,
): Tx<void> {
  yield* beginWorkspaceRules.run({ workspace, authorId, at });
  const known = yield* lockWorkspaceRules.first({ workspace, authorId });
  const now = known ? decode(known.permissions) : {};
  const extended = extendRules(now, rules);
  assertFew(extended);
  const permissions = JSON.stringify(extended);
  yield* putWorkspaceRules.run({ workspace, authorId, permissions, at });
}

function assertFew(rules: PermissionRules): void {
  if (Object.values(rules).every((list) => (list?.length ?? 0) <= LIMITS.rules)) return;
  const limit = String(LIMITS.rules);
  throw new StoaError(
    'limit_reached',
    `There are ${limit} rules of this kind already; decide once`,
  );
}
