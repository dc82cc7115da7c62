import type { RunContext } from '@stoa/core';
import { LIMITS, type Principal } from '@stoa/protocol';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { alternate, type Block } from '../measure/alternate.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { type HeldRuns, openHeldRuns } from '../world/held-runs.js';
import { JsonMailbox } from '../world/json-mailbox.js';

const BACKLOGS = [0, 1_000, 4_000] as const;
const OPERATIONS = 10;

/** One message, sent and received. */
type Exchange = () => Promise<void>;

export const mailbox: Benchmark = {
  description: 'a message from one session to another, synced ÷ a JSON file under proper-lockfile',
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 10, seconds: 5, warmUp: 2 }
        : { pairs: 60, seconds: 60, warmUp: 5 };
    const ours = await openOurs(await openHeldRuns(scope));
    const file = JsonMailbox.open(scope);

    const figures: Figure[] = [];
    for (const backlog of BACKLOGS) {
      const exchange = await ours(backlog);
      const pairs = await alternate(rate(exchange), rate(overFile(file, backlog)), extent);
      const part = `${backlog} messages before`;
      figures.push(figureOf({ bench: 'mailbox', part, unit: 'ops/s', goal: '>=50' }, pairs));
    }
    const [least, most] = [BACKLOGS[0], BACKLOGS[BACKLOGS.length - 1] as number];
    const pairs = await alternate(time(await ours(most)), time(await ours(least)), extent);
    const part = `ours, ${most} ÷ ${least} messages before`;
    return [...figures, figureOf({ bench: 'mailbox', part, unit: 'ms', goal: '<=1.5' }, pairs)];
  },
};

/** Opens the exchange for the next block, in nobody's time. */
type Prepare = () => Promise<Exchange>;

function time(prepare: Prepare): Block {
  return async () => {
    const exchange = await prepare();
    const started = performance.now();
    for (let i = 0; i < OPERATIONS; i++) await exchange();
    return (performance.now() - started) / OPERATIONS;
  };
}

function rate(prepare: Prepare): Block {
  const measure = time(prepare);
  return async () => 1000 / (await measure());
}

/**
 * Through the domain, on a synced store. The recipient is at work, and takes what came for it as it does
 * between two steps. What came before stands in its inbox as delivered.
 */
async function openOurs(runs: HeldRuns): Promise<(backlog: number) => Promise<Prepare>> {
  const { sessionId: from } = (await runs.open()).session;
  const sender: Principal = { kind: 'session', id: from, credentialId: 'crd_sender' };
  const send = (to: RunContext): Promise<unknown> =>
    runs.core.sessions.sendMessage(sender, from, {
      toSessionId: to.session.sessionId,
      text: MESSAGE_TEXT,
    });
  const exchangeWith =
    (to: RunContext): Exchange =>
    async () => {
      await send(to);
      assertOne(await to.journal.takeInjected());
    };
  return async (backlog) => {
    // An empty inbox is one only once.
    if (backlog === 0) return async () => exchangeWith(await runs.open());
    const recipient = await runs.open();
    for (let sent = 0; sent < backlog; ) {
      const batch = Math.min(LIMITS.undeliveredMailboxMessages, backlog - sent);
      await Promise.all(Array.from({ length: batch }, () => send(recipient)));
      await recipient.journal.takeInjected();
      sent += batch;
    }
    return () => Promise.resolve(exchangeWith(recipient));
  };
}

/** The file is made anew for every block, so that it has the same backlog in all of them. */
function overFile(file: JsonMailbox, backlog: number): Prepare {
  return async () => {
    await file.reset(backlog, MESSAGE_TEXT);
    return async () => {
      await file.send(MESSAGE_TEXT);
      assertOne(await file.receive());
    };
  };
}

function assertOne(received: readonly unknown[]): void {
  if (received.length !== 1) throw new Error(`${received.length} messages came instead of one`);
}
