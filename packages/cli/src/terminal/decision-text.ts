import { type CandidateWords, decisionWords } from '@stoa/client';
import type { StampedDecision } from '@stoa/protocol';
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
  /** Whose lease it was, also of those that were decided before what is shown. */
  readonly holders: ReadonlyMap<string, string>;
}

const COLUMNS: readonly Column[] = [
  { title: '', align: 'right' },
  { title: 'MEMBER' },
  { title: 'VERDICT' },
  { title: 'REASON' },
  { title: 'RANKED LOWER BY' },
];

/** One decision: what led to it, who was compared in which order, and what followed. */
export function decisionText(decision: StampedDecision, style: DecisionStyle): string {
  const { paint, now, names, holders, width } = style;
  const timeOf = (at: number): string => clockTime(at, now);
  const { trigger, candidates, others, nobody, consequences } = decisionWords(decision, {
    names,
    holders,
    timeOf,
  });
  const compared = table(COLUMNS, candidates.map(rowOf), {
    width: width === undefined ? undefined : width - 4,
    heading: paint.dim,
  });
  return [
    `${paint.dim(timeOf(decision.at))} ${paint.bold(printableLine(trigger))} ${paint.dim(`#${decision.seq}`)}`,
    ...(nobody === undefined ? [] : [`    ${nobody}`]),
    ...(candidates.length === 0 ? [] : compared.split('\n').map((line) => `    ${line}`)),
    ...others.map((line) => `    and ${printableLine(line)}`),
    ...consequences.map((line) => `  ${paint.cyan('→')} ${printableLine(line)}`),
  ].join('\n');
}

function rowOf(candidate: CandidateWords, index: number): string[] {
  const { name, verdict, because, behindBy } = candidate;
  return [String(index + 1), printableLine(name), verdict, because, behindBy ?? ''];
}
