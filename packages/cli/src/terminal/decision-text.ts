import type { Candidate, CandidateReason, ScorePart, StampedDecision } from '@stoa/protocol';
import type { Painter } from './paint.js';
import { printableLine } from './printable.js';
import { type Column, table } from './table.js';
import { clockTime } from './times.js';

/** How to show what was decided about a thread. */
export interface DecisionStyle {
  readonly paint: Painter;
  readonly now: number;
  readonly width: number | undefined;
  /** What members are called now; one that has left keeps its id. */
  readonly names: ReadonlyMap<string, string>;
  /** Whose lease it was, of those in the decisions that are shown. */
  readonly holders: ReadonlyMap<string, string>;
}

const REASONS: Readonly<Record<CandidateReason, string>> = {
  addressed: 'was addressed',
  called: 'was called by the last reply',
  last_in_thread: 'spoke last in this thread',
  expertise: 'knows what this is about',
  last_in_channel: 'spoke last in this channel',
  member: 'is a member',
  speaking: 'is speaking already',
  muted: 'is muted',
  manual_only: 'takes part by hand only',
  others_selected: 'others were addressed',
  served: 'had its turn',
  cooling_down: 'spoke here a moment ago',
  session_ended: 'its session has ended',
  inbox_full: 'its inbox is full',
  sender: 'said it itself',
};

const COLUMNS: readonly Column[] = [
  { title: '', align: 'right' },
  { title: 'MEMBER' },
  { title: 'VERDICT' },
  { title: 'BECAUSE IT' },
  { title: 'BEHIND THE ONE ABOVE BY' },
];

/** One decision: what led to it, who was compared in which order, and what followed. */
export function decisionText(decision: StampedDecision, style: DecisionStyle): string {
  const { paint, now } = style;
  const when = paint.dim(clockTime(decision.at, now));
  const { candidates } = decision;
  return [
    `${when} ${paint.bold(triggerText(decision, style))} ${paint.dim(`#${decision.seq}`)}`,
    ...(candidates.length === 0
      ? nobodyText(decision)
      : indented(
          table(COLUMNS, candidates.map(rowOf(candidates, style)), {
            width: style.width === undefined ? undefined : style.width - 4,
            heading: paint.dim,
          }),
        )),
    ...consequences(decision, style).map((line) => `  ${paint.cyan('→')} ${line}`),
  ].join('\n');
}

function triggerText({ trigger, turn, ended }: StampedDecision, style: DecisionStyle): string {
  switch (trigger.type) {
    case 'message':
      return `${trigger.messageId ?? turn.originMessageId} opened a turn`;
    case 'run_ended': {
      const [first] = ended;
      const who = first ? holderOf(first.leaseId, style) : 'a run';
      return `the run of ${who} ended`;
    }
    case 'answered':
      return 'what a run had asked was answered';
    case 'time':
      return 'the time had come to look again';
    case 'resumed':
      return 'the channel was resumed';
    case 'cancelled':
      return 'somebody cancelled';
  }
}

/** Who takes a turn away compares nobody. */
function nobodyText({ trigger }: StampedDecision): string[] {
  return trigger.type === 'cancelled' ? [] : ['    no session is a member of this channel'];
}

const rowOf =
  (candidates: readonly Candidate[], style: DecisionStyle) =>
  (candidate: Candidate, index: number): string[] => {
    const above = candidates[index - 1];
    return [
      String(index + 1),
      nameOf(candidate.memberId, style),
      candidate.verdict,
      REASONS[candidate.reason],
      above ? lagText(above.score, candidate.score) : '',
    ];
  };

/** The first part in which the two differ is what put one behind the other. */
export function lagText(above: readonly ScorePart[], below: readonly ScorePart[]): string {
  const part = below.find(({ value }, i) => value !== above[i]?.value);
  if (!part) return 'its id';
  return part.by.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function consequences(
  { turn, granted, renewed, ended }: StampedDecision,
  style: DecisionStyle,
): string[] {
  const { replies, startedRuns, tokens } = turn;
  const spent = `${count(replies, 'reply', 'replies')}, ${count(startedRuns, 'run', 'runs')}, ${count(tokens, 'token', 'tokens')}`;
  return [
    ...ended.map(({ leaseId, outcome, reason }) => {
      const why = reason === undefined ? '' : ` (${printableLine(reason)})`;
      return `${holderOf(leaseId, style)} had the turn: ${outcome}${why}`;
    }),
    ...granted.map(({ memberId, runId }) => `${nameOf(memberId, style)} has the turn (${runId})`),
    ...renewed.map(({ leaseId }) => `${holderOf(leaseId, style)} keeps the turn: nobody waits`),
    ...(turn.outcome === undefined
      ? []
      : [`the turn is closed: ${turn.outcome.replaceAll('_', ' ')} (${spent})`]),
    ...(turn.outcome === undefined && turn.wakeAt !== undefined
      ? [`looked at again at ${clockTime(turn.wakeAt, style.now)} unless something happens before`]
      : []),
  ];
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

function nameOf(memberId: string, { names }: DecisionStyle): string {
  return printableLine(names.get(memberId) ?? memberId);
}

function holderOf(leaseId: string, style: DecisionStyle): string {
  const memberId = style.holders.get(leaseId);
  return memberId === undefined ? leaseId : nameOf(memberId, style);
}

const indented = (text: string): string[] => text.split('\n').map((line) => `    ${line}`);
