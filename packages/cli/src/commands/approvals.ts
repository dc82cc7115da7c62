import type { Approval, ApprovalState } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { approvalText } from '../terminal/approval-text.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';
import { textFrom } from './message-input.js';

export interface ListApprovalsOptions extends GlobalFlags {
  readonly state?: ApprovalState;
  readonly all?: boolean;
  readonly session?: string;
  readonly before?: string;
  readonly limit: number;
  readonly quiet?: boolean;
}

export interface AllowOptions extends GlobalFlags {
  readonly always?: 'session' | 'workspace';
  readonly input?: string;
}

export interface DenyOptions extends GlobalFlags {
  readonly always?: 'session' | 'workspace';
  readonly message?: string;
}

export async function listApprovals(
  context: Context,
  _args: readonly string[],
  options: ListApprovalsOptions,
): Promise<void> {
  const page = await context.client.approvals.list({
    state: options.state ?? (options.all ? undefined : 'pending'),
    sessionId: options.session,
    before: options.before,
    limit: options.limit,
  });
  const { approvals, nextBefore } = page;
  if (context.flags.json) context.json(page);
  else if (options.quiet) for (const { approvalId } of approvals) context.line(approvalId);
  else if (approvals.length === 0) context.say('no pending approvals');
  else context.line(approvalTable(context, approvals));
  context.more(nextBefore);
}

function approvalTable(context: Context, approvals: readonly Approval[]): string {
  const now = context.io.now();
  return context.table(
    [
      { title: 'APPROVAL' },
      { title: 'STATE' },
      { title: 'SESSION' },
      { title: 'ASKED' },
      { title: 'EXPIRES' },
      { title: 'WHAT' },
    ],
    approvals.map((approval) => [
      approval.approvalId,
      approval.state,
      approval.sessionId,
      relativeTime(approval.createdAt, now),
      approval.state === 'pending' ? relativeTime(approval.expiresAt, now) : '',
      printableLine(approval.title),
    ]),
  );
}

export async function showApproval(
  context: Context,
  [approvalId = '']: readonly string[],
): Promise<void> {
  const approval = await context.client.approvals.get(approvalId);
  context.answer(approval, () =>
    approvalText(approval, {
      paint: context.paint,
      now: context.io.now(),
      width: context.io.columns,
    }),
  );
}

export async function allowApproval(
  context: Context,
  [approvalId = '']: readonly string[],
  { always, input }: AllowOptions,
): Promise<void> {
  if (always !== undefined && input !== undefined) {
    throw new UsageError(
      '--input and --always cannot be combined',
      'changed arguments are allowed only once',
    );
  }
  const updatedInput = input === undefined ? {} : { updatedInput: await jsonFrom(context, input) };
  report(
    context,
    await context.client.approvals.allow(approvalId, { scope: always ?? 'once', ...updatedInput }),
  );
}

export async function denyApproval(
  context: Context,
  [approvalId = '']: readonly string[],
  { always, message }: DenyOptions,
): Promise<void> {
  report(context, await context.client.approvals.deny(approvalId, { scope: always, message }));
}

export async function answerApproval(
  context: Context,
  [approvalId = '', ...words]: readonly string[],
): Promise<void> {
  const text = await textFrom(context, words);
  report(context, await context.client.approvals.answer(approvalId, text));
}

async function jsonFrom(context: Context, input: string): Promise<Approval['input']> {
  const text = await textFrom(context, [input]);
  try {
    return JSON.parse(text) as Approval['input'];
  } catch (error) {
    throw new UsageError(
      `--input is not JSON: ${(error as Error).message}`,
      `give all arguments, such as '{"command": "npm test"}', or - for standard input`,
    );
  }
}

function report(context: Context, approval: Approval): void {
  const { approvalId, state, scope, suggestedRule = '' } = approval;
  const reach =
    scope === undefined || scope === 'once'
      ? ''
      : `, and from now on in this ${scope}: ${printableLine(suggestedRule)}`;
  context.answer(approval, () => `${approvalId} is ${state}${reach}.`);
}
