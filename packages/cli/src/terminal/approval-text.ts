import type { Approval } from '@stoa/protocol';
import { block, details } from './details.js';
import type { Painter } from './paint.js';
import { printable, printableJson, printableLine } from './printable.js';
import { relativeTime } from './times.js';

interface ApprovalStyle {
  readonly paint: Painter;
  readonly now: number;
}

/** An approval as it is listed, with everything a decision rests on: nothing is cut. */
export function approvalText(approval: Approval, { paint, now }: ApprovalStyle): string {
  return [
    details(paint, { title: approval.title, id: approval.approvalId }, [
      ['state', approval.state],
      ['by', approval.answeredBy],
      ['scope', approval.scope === 'once' ? undefined : approval.scope],
      ['answer', approval.answer],
      ['session', approval.sessionId],
      ['run', approval.runId],
      ['asked', relativeTime(approval.createdAt, now)],
      ['expires', approval.state === 'pending' ? relativeTime(approval.expiresAt, now) : undefined],
    ]),
    requestText(approval, paint),
    ...(approval.updatedInput === undefined
      ? []
      : [jsonBlock(paint, 'what was allowed instead', approval.updatedInput)]),
  ].join('\n');
}

/** What is asked: the reason, the exact arguments and what a reviewer should see beside them. */
export function requestText(approval: Approval, paint: Painter): string {
  const { kind, tool, reason, suggestedRule, detail, options = [] } = approval;
  const rows = [
    ...(kind === 'tool' ? [['tool', tool]] : []),
    ['reason', reason],
    ...(suggestedRule === undefined ? [] : [['always', suggestedRule]]),
  ];
  return [
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(11)} ${printableLine(value)}`),
    ...(kind === 'tool' ? [jsonBlock(paint, 'arguments', approval.input)] : []),
    ...(detail === undefined ? [] : [colouredDiff(paint, block(paint, 'detail', detail))]),
    ...options.map(({ label, description }, index) => {
      const more = description === undefined ? '' : `: ${printableLine(description)}`;
      return `  ${index + 1}. ${printableLine(label)}${paint.dim(more)}`;
    }),
  ].join('\n');
}

/** How somebody answers who is not at this terminal. */
export function howToAnswer({ approvalId, kind }: Pick<Approval, 'approvalId' | 'kind'>): string {
  return kind === 'question'
    ? `stoa approvals answer ${approvalId} TEXT`
    : `stoa approvals allow ${approvalId} (or deny; see it: stoa approvals show ${approvalId})`;
}

function jsonBlock(paint: Painter, name: string, value: unknown): string {
  return block(paint, name, printable(printableJson(value, 2)));
}

function colouredDiff(paint: Painter, text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (/^ {4}\+/.test(line)) return paint.green(line);
      return /^ {4}-/.test(line) ? paint.red(line) : line;
    })
    .join('\n');
}
