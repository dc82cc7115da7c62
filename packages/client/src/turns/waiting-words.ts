import type { CandidateGroup, Lease, StampedDecision } from '@stoa/protocol';
import { BECAUSE } from './because.js';

/** What is known of a thread about which something is still to happen. */
export interface WaitingThread {
  /** What was decided last. */
  readonly decision: StampedDecision;
  /** Those that are live in it. */
  readonly leases: readonly Lease[];
  readonly isPaused: boolean;
}

interface WaitingReader {
  readonly names: ReadonlyMap<string, string>;
  readonly timeOf: (at: number) => string;
}

/** Who has the turn in a thread, who is next, and why not now. Nothing where nobody is waited for. */
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
  const countOf = (isMeant: (group: CandidateGroup) => boolean): number =>
    others.filter(isMeant).reduce((sum, { count }) => sum + count, 0);
  const moreQueued = countOf(({ verdict }) => verdict === 'queued');
  const moreCooling = countOf(({ reason }) => reason === 'cooling_down');
  const notNow = isPaused
    ? 'the channel is paused'
    : holders.size > 0
      ? `${[...holders].map(nameOf).join(', ')} has the turn`
      : 'what this turn may cost is spent';
  return [
    ...leases.map(({ memberId, phase }) => `${nameOf(memberId)} ${PHASES[phase]}.`),
    ...queued.map(({ memberId, reason }, index) => {
      const place = index === 0 ? 'is next' : 'comes after that';
      return `${nameOf(memberId)} ${place}, because it ${BECAUSE[reason]}; not now, because ${notNow}.`;
    }),
    ...(moreQueued > 0 ? [`${String(moreQueued)} more wait.`] : []),
    ...cooling.map(({ memberId }) => `${nameOf(memberId)} ${BECAUSE.cooling_down}, and rests.`),
    ...(moreCooling > 0 ? [`${String(moreCooling)} more rest.`] : []),
    ...(isPaused && queued.length === 0
      ? ['The channel is paused: nobody is given the turn.']
      : []),
    ...(leases.length === 0 && !isPaused && turn.wakeAt !== undefined
      ? [`Looked at again at ${reader.timeOf(turn.wakeAt)}, or when something happens.`]
      : []),
  ];
}

const PHASES: Readonly<Record<Lease['phase'], string>> = {
  granted: 'was given the turn and has not begun yet',
  running: 'has the turn',
  waiting: 'has the turn and waits for an answer',
  ended: 'had the turn',
};

/** What gave an agent the turn in which it said something; of decisions that are newest first. */
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
