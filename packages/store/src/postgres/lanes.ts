import type { Body, Outcome, Transactions } from './transaction.js';

/**
 * Transactions of one lane queue here in the order of their arrival, because on the server they would only queue for
 * the lock of their topic. Those that arrive during a commit share the next one.
 *
 *   waiting ──the lane is free──▶ running ──commit──▶ answered
 *      ▲                             │
 *      └──────── not admitted ───────┘ (the group is limited by count and time, and ends with a member
 *                                       that wrote to another topic than that of its lane)
 *
 * The last rule prevents groups from waiting for each other: two lanes that hold the topics of several members until
 * their commits would eventually deadlock.
 *
 * Callers get their answers after the commit.
 */
export interface LaneLimits {
  readonly members: number;
  readonly milliseconds: number;
}

interface Member {
  readonly body: Body;
  readonly answer: (outcome: Outcome) => void;
}

export class Lanes {
  /** The waiting transactions of each active lane. */
  readonly #lanes = new Map<string, Member[]>();

  constructor(
    private readonly transactions: Transactions,
    private readonly limits: LaneLimits,
  ) {}

  /** Resolves after the commit, and in commit order within a lane. */
  run(lane: string, body: Body): Promise<Outcome> {
    return new Promise((answer) => {
      const waiting = this.#lanes.get(lane);
      if (waiting) waiting.push({ body, answer });
      else this.#open(lane, { body, answer });
    });
  }

  #open(lane: string, first: Member): void {
    const waiting = [first];
    this.#lanes.set(lane, waiting);
    // One turn of the event loop, so that transactions that arrive together are committed together.
    setImmediate(() => void this.#work(lane, waiting));
  }

  async #work(lane: string, waiting: Member[]): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, this.limits.members);
      const outcomes = await this.#commit(lane, group);
      waiting.unshift(...group.slice(outcomes.length));
      outcomes.forEach((outcome, i) => {
        group[i]?.answer(outcome);
      });
    }
    this.#lanes.delete(lane);
  }

  async #commit(lane: string, group: readonly Member[]): Promise<Outcome[]> {
    const bodies = group.map((member) => member.body);
    const [only] = bodies;
    if (only && bodies.length === 1) return [await this.transactions.alone(only)];
    const deadline = performance.now() + this.limits.milliseconds;
    return this.transactions.together(
      bodies,
      (outcome) => performance.now() < deadline && staysIn(lane, outcome),
    );
  }
}

const staysIn = (lane: string, outcome: Outcome): boolean =>
  !outcome.ok || outcome.topics.every((topic) => topic === lane);
