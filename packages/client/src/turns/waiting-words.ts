import type { CandidateGroup, Lease, StampedDecision } from '@stoa/protocol';
import { BECAUSE } from './because.js';

/** The state of a thread in which something is still to happen. */
export interface WaitingThread {
  /** The last decision. */
  readonly decision: StampedDecision;
  /** Its active leases. */
  readonly leases: readonly Lease[];
  readonly isPaused: boolean;
}

interface WaitingReader {
  readonly names: ReadonlyMap<string, string>;
  readonly timeOf: (at: number) => string;
}

/** Who has the turn in a thread, who is next, and why not now. Empty if nobody is expected. */
export function waitingWords(thread: WaitingThread, reader: WaitingReader): readonly string[] {
  const { decision, leases, isPaused } = thread;
  const { turn, candidates } = decision;
  if (turn.outcome !== undefined && leases.length === 0) return [];
  const nameOf = (memberId: string): string => reader.names.get(memberId) ?? memberId;
  const holders = new Set(leases.map(({ memberId }) => memberId));
  const queued = candidates.filter(
    ({ memberId, verdict }) => verdict === 'queued' && !holders.has(memberId),
  );
  const cooling = candidates.filter(({ reason }) => reason === 'cooling_down');
  const others = decision.others ?? [];
  const countOf = (matches: (group: CandidateGroup) => boolean): number =>
    others.filter(matches).reduce((sum, { count }) => sum + count, 0);
  const moreQueued = countOf(({ verdict }) => verdict === 'queued');
  const moreCooling = countOf(({ reason }) => reason === 'cooling_down');
  const notNow = isPaused
    ? 'the channel is paused'
    : holders.size > 0
      ? `${[...holders].map(nameOf).join(', ')} has the turn`
      : 'the budget of this turn is used up';
  return [
    ...leases.map(({ memberId, phase }) => `${nameOf(memberId)} ${PHASES[phase]}.`),
    ...queued.map(({ memberId, reason }, index) => {
      const position = index === 0 ? 'is next' : 'follows';
      return `${nameOf(memberId)} ${position}, because it ${BECAUSE[reason]}; it waits because ${notNow}.`;
    }),
    ...(moreQueued > 0 ? [`${String(moreQueued)} more waiting.`] : []),
    ...cooling.map(
      ({ memberId }) => `${nameOf(memberId)} ${BECAUSE.cooling_down} and is in its cooldown.`,
    ),
    ...(moreCooling > 0 ? [`${String(moreCooling)} more in cooldown.`] : []),
    ...(isPaused && queued.length === 0 ? ['The channel is paused: nobody gets the turn.'] : []),
    ...(leases.length === 0 && !isPaused && turn.wakeAt !== undefined
      ? [`Next check at ${reader.timeOf(turn.wakeAt)}, or when something happens.`]
      : []),
  ];
}

const PHASES: Readonly<Record<Lease['phase'], string>> = {
  granted: 'has the turn but has not started yet',
  running: 'has the turn',
  waiting: 'has the turn and waits for an answer',
  ended: 'had the turn',
};

/** The decision that gave an agent the turn in which it posted; decisions are newest first. */
export function decisionBehind(
  decisions: readonly StampedDecision[],
  message: { readonly seq: number; readonly author: { readonly id: string } },
): StampedDecision | undefined {
  return decisions.find(
    ({ seq, granted }) =>
      seq < message.seq &&
      granted.some(({ sessionId }) => message.author.id === `session:${sessionId}`),
  );
}
