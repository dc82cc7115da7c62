import type { RunContext } from '@stoa/core';
import { LIMITS, type Principal } from '@stoa/protocol';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { alternate, type Block } from '../measure/alternate.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { type HeldRuns, openHeldRuns } from '../world/held-runs.js';
import { JsonMailbox } from '../world/json-mailbox.js';

const BACKLOGS = [0, 1_000, 4_000] as const;
const SENDERS = [1, 10] as const;
/** Messages of one block. */
const OPERATIONS = 20;

/** Everybody sends one message, at the same time, and the recipient takes them all. */
type Exchange = () => Promise<void>;

/** Opens the exchange for the next block, in nobody's time. */
type Prepare = () => Promise<Exchange>;

/** How many send at once, and how many messages the recipient had and read before. */
interface Case {
  readonly senders: number;
  readonly backlog: number;
}

/** A session that takes messages, run after run. */
interface Recipient {
  run: RunContext;
  taken: number;
}

export const mailbox: Benchmark = {
  description: 'messages from session to session, synced ÷ a JSON file under proper-lockfile',
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 6, seconds: 3, warmUp: 1 }
        : { pairs: 60, seconds: 30, warmUp: 3 };
    const ours = await openOurs(await openHeldRuns(scope));
    const file = JsonMailbox.open(scope);

    const figures: Figure[] = [];
    for (const senders of SENDERS) {
      for (const backlog of BACKLOGS) {
        const [one, other] = [
          await ours({ senders, backlog }),
          overFile(file, { senders, backlog }),
        ];
        const peer = rate(senders, other);
        const settled = async (): Promise<number> => {
          const measured = await peer();
          await file.settle();
          return measured;
        };
        const pairs = await alternate(rate(senders, one), settled, extent);
        const part = `${senders} sender${senders === 1 ? '' : 's'}, ${backlog} before`;
        figures.push(figureOf({ bench: 'mailbox', part, unit: 'ops/s', goal: '>=50' }, pairs));
      }
    }
    const [least, most] = [BACKLOGS[0], BACKLOGS[BACKLOGS.length - 1] as number];
    const [full, empty] = [
      await ours({ senders: 1, backlog: most }),
      await ours({ senders: 1, backlog: least }),
    ];
    const pairs = await alternate(time(1, full), time(1, empty), extent);
    const part = `ours, ${most} ÷ ${least} before`;
    return [...figures, figureOf({ bench: 'mailbox', part, unit: 'ms', goal: '<=1.5' }, pairs)];
  },
};

/** Milliseconds a message. */
function time(senders: number, prepare: Prepare): Block {
  return async () => {
    const exchange = await prepare();
    const started = performance.now();
    for (let sent = 0; sent < OPERATIONS; sent += senders) await exchange();
    return (performance.now() - started) / OPERATIONS;
  };
}

function rate(senders: number, prepare: Prepare): Block {
  const measure = time(senders, prepare);
  return async () => 1000 / (await measure());
}

/**
 * Through the domain, on a synced store. The recipient is at work, and takes what came for it as it does
 * between two steps. Earlier items are in its inbox as delivered.
 */
async function openOurs(runs: HeldRuns): Promise<(one: Case) => Promise<Prepare>> {
  const senderIds: string[] = [];
  for (let i = 0; i < Math.max(...SENDERS); i++) {
    senderIds.push((await runs.open()).session.sessionId);
  }
  const send = (from: string, to: RunContext): Promise<unknown> => {
    const sender: Principal = { kind: 'session', id: from, credentialId: 'crd_sender' };
    const { sessionId: toSessionId } = to.session;
    return runs.core.mailbox.send(sender, from, { toSessionId, text: MESSAGE_TEXT });
  };
  const exchange = async (senders: number, to: RunContext): Promise<void> => {
    await Promise.all(senderIds.slice(0, senders).map((from) => send(from, to)));
    assertCount(await to.journal.takeInjected(), senders);
  };
  /** One run takes a bounded number of items: this has room for a block of them. */
  const roomy = async (recipient: Recipient): Promise<RunContext> => {
    if (recipient.taken + OPERATIONS >= LIMITS.itemsPerRun) {
      recipient.run = await runs.next(recipient.run);
      recipient.taken = 1;
    }
    recipient.taken += OPERATIONS;
    return recipient.run;
  };
  return async ({ senders, backlog }) => {
    // An inbox is empty only once.
    if (backlog === 0) {
      return async () => {
        const recipient = await runs.open();
        return () => exchange(senders, recipient);
      };
    }
    const recipient: Recipient = { run: await runs.open(), taken: 1 };
    for (let sent = 0; sent < backlog; sent += OPERATIONS) {
      const run = await roomy(recipient);
      for (let i = 0; i < OPERATIONS; i += senderIds.length) await exchange(senderIds.length, run);
    }
    return async () => {
      const run = await roomy(recipient);
      return () => exchange(senders, run);
    };
  };
}

/** The file is created again for every block, so that it has the same backlog in all of them. */
function overFile(file: JsonMailbox, { senders, backlog }: Case): Prepare {
  return async () => {
    await file.reset(backlog, MESSAGE_TEXT);
    return async () => {
      await Promise.all(Array.from({ length: senders }, () => file.send(MESSAGE_TEXT)));
      assertCount(await file.receive(), senders);
    };
  };
}

function assertCount(received: readonly unknown[], count: number): void {
  if (received.length === count) return;
  throw new Error(`${received.length} messages came instead of ${count}`);
}
