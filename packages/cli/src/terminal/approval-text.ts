import { argumentsInLines, argumentTexts, requestWords } from '@stoa/client';
import type { Approval } from '@stoa/protocol';
import { block, details } from './details.js';
import type { Painter } from './paint.js';
import { printable, printableJson, printableLine } from './printable.js';
import { relativeTime } from './times.js';
import { folded } from './width.js';

export interface RequestStyle {
  readonly paint: Painter;
  /** How many cells a line has, where that is known. */
  readonly width?: number | undefined;
}

interface ApprovalStyle extends RequestStyle {
  readonly now: number;
}

/** An approval as it is listed, with everything a decision rests on: nothing is cut. */
export function approvalText(approval: Approval, style: ApprovalStyle): string {
  const { paint, now } = style;
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
    requestText(approval, style),
    ...(approval.updatedInput === undefined
      ? []
      : [jsonBlock(style, 'allowed with these arguments', approval.updatedInput)]),
  ].join('\n');
}

/**
 * What is asked: the reason, what the daemon says of it, the exact arguments and what they come to. What the
 * agent wrote is shown in blocks with a margin: none of its lines can imitate one of the daemon's.
 */
export function requestText(approval: Approval, style: RequestStyle): string {
  const { kind, tool, reason, suggestedRule, answerableBy, notes = [], options = [] } = approval;
  const requested = requestWords(approval);
  const rows = [
    ...(kind === 'tool' ? [['tool', tool]] : []),
    ['reason', reason],
    ...(requested === undefined ? [] : [['asked by', requested]]),
    ...(answerableBy === 'owner' ? [['answers', 'only the owner']] : []),
    ...(suggestedRule === undefined ? [] : [['always', suggestedRule]]),
    ...notes.map((note) => ['note', note]),
  ];
  return [
    ...rows.flatMap(([name = '', value = '']) => row(name, value, style)),
    ...(kind === 'tool' ? argumentBlocks(approval, style) : []),
    ...options.map(({ label, description }, index) => {
      const more = description === undefined ? '' : `: ${printableLine(description)}`;
      return `  ${index + 1}. ${printableLine(label)}${style.paint.dim(more)}`;
    }),
  ].join('\n');
}

/** A rule names a command: broken at the edge of the terminal, its end would stand where names of rows do. */
function row(name: string, value: string, { width }: RequestStyle): string[] {
  const text = printableLine(value);
  const lines = width === undefined ? [text] : folded(text, width - NAME_CELLS);
  return lines.map((line, at) => `  ${(at === 0 ? name : '').padEnd(NAME_CELLS - 3)} ${line}`);
}

const NAME_CELLS = 14;

function argumentBlocks({ input, detail }: Approval, style: RequestStyle): string[] {
  const { paint, width } = style;
  const blocks = [jsonBlock(style, 'arguments', input)];
  if (detail !== undefined) {
    blocks.push(colouredDiff(paint, block(paint, 'detail', detail, width)));
  } else if (argumentTexts(input).some(({ text }) => text.includes('\n'))) {
    blocks.push(block(paint, 'arguments, line by line', argumentsInLines(input), width));
  }
  return blocks;
}

/** How somebody answers who is not at this terminal. */
export function howToAnswer({ approvalId, kind }: Pick<Approval, 'approvalId' | 'kind'>): string {
  return kind === 'question'
    ? `stoa approvals answer ${approvalId} TEXT`
    : `stoa approvals allow ${approvalId} (or deny; see it: stoa approvals show ${approvalId})`;
}

function jsonBlock({ paint, width }: RequestStyle, name: string, value: unknown): string {
  return block(paint, name, printable(printableJson(value, 2)), width);
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
