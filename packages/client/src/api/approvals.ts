import type { AnswerApproval, Approval, ApprovalScope } from '@stoa/protocol';
import type { Answer, Caller, CallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export type ApprovalPage = Answer<'listApprovals'>;

type Allow = Extract<AnswerApproval, { decision: 'allow' }>;

export interface ApprovalsApi {
  /** Newest first. */
  list(query?: QueryFor<'listApprovals'>, options?: CallOptions): Promise<ApprovalPage>;
  get(approvalId: string, options?: CallOptions): Promise<Approval>;
  /** The first answer counts: whoever comes later gets the problem `approval_settled`. */
  allow(
    approvalId: string,
    how?: Partial<Pick<Allow, 'scope' | 'updatedInput' | 'inputHash'>>,
    options?: CallOptions,
  ): Promise<Approval>;
  deny(
    approvalId: string,
    how?: { readonly scope?: ApprovalScope | undefined; readonly message?: string | undefined },
    options?: CallOptions,
  ): Promise<Approval>;
  answer(approvalId: string, text: string, options?: CallOptions): Promise<Approval>;
}

export function approvalsApi(call: Caller): ApprovalsApi {
  const settle = (
    approvalId: string,
    body: AnswerApproval,
    options: CallOptions | undefined,
  ): Promise<Approval> => call('answerApproval', { params: { approvalId }, body, ...options });
  return {
    list: (query, options) => call('listApprovals', { query, ...options }),
    get: (approvalId, options) => call('getApproval', { params: { approvalId }, ...options }),
    allow: (approvalId, how, options) =>
      settle(approvalId, { scope: 'once', ...how, decision: 'allow' }, options),
    deny: (approvalId, { scope = 'once', message } = {}, options) =>
      settle(approvalId, { decision: 'deny', scope, message }, options),
    answer: (approvalId, answer, options) =>
      settle(approvalId, { decision: 'answer', answer }, options),
  };
}
