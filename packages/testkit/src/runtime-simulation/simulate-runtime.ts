import type { AnswerApproval, Principal } from '@stoa/protocol';
import { OWNER } from '../runtime/runtime-world.js';
import { violated } from '../simulation/failure.js';
import {
  blankImage,
  type Machine,
  play,
  runtimeWith,
  SimulatedDaemon,
  SimulatedHistory,
  settled,
  storeWith,
  watch,
} from '../simulation/kernel.js';
import { VirtualDisk } from '../simulation/virtual-disk.js';
import { checkSession, type LoggedEvent } from './check-sessions.js';
import { type Outside, SimAgent } from './sim-agent.js';

export interface RuntimeReport {
  readonly steps: number;
  /** What happened, and how often: a simulation that never crashes proves little. */
  readonly seen: Readonly<Record<string, number>>;
}

const RULES = ['followup', 'collect', 'steer', 'inject', 'interrupt'] as const;
/** Errors that callers may get when operations are concurrent. */
const EXPECTED = new Set([
  'session_ended',
  'approval_settled',
  'inbox_full',
  'session_busy',
  'item_not_dead',
]);
const STEPS = 250;
const STEPS_TO_REST = 6_000;
/** A check reads every log from its beginning, and a broken one stays broken. */
const CHECK_EVERY = 25;

/** Sessions, their inboxes, runs, approvals and owners, under everything that can happen to them. */
export function simulateRuntime(seed: number): Promise<RuntimeReport> {
  const world = new RuntimeSimulation(seed);
  return play(world, 'tests/runtime-simulation.test.ts', async () => {
    await world.begin();
    world.doing = 'a step';
    for (let i = 0; i < STEPS; i++) await world.step();
    world.doing = 'coming to rest';
    await world.rest();
    return { steps: world.trace.length, seen: Object.fromEntries(world.seen) };
  });
}

/** Several daemons on one database, as on PostgreSQL: what a store on SQLite would rule out. */
class SimHost extends SimulatedDaemon {
  constructor(
    name: string,
    machine: Machine,
    outside: Omit<Outside, 'pace'>,
    history: SimulatedHistory,
  ) {
    super(name, machine, (daemon) => ({
      wrap: (store) => storeWith(store, (member) => (member === 'engine' ? 'postgres' : undefined)),
      ports: {
        report: history.report,
        runtime: runtimeWith(
          daemon,
          new SimAgent({
            ...outside,
            pace: () => daemon.pace(),
            perform: (callId) => {
              if (daemon.isAlive) outside.perform(callId);
            },
          }),
        ),
      },
    }));
  }
}

class RuntimeSimulation extends SimulatedHistory {
  readonly #disk = new VirtualDisk(blankImage());
  readonly #performed = new Set<string>();
  #hosts: SimHost[] = [];
  #sessions: string[] = [];
  #started = 0;
  #calls = 0;
  #steps = 0;

  constructor(seed: number) {
    super(seed, Date.UTC(2026, 0, 5, 9), EXPECTED);
  }

  async begin(): Promise<void> {
    await this.#start();
    const count = this.random.between(1, 3);
    for (let i = 0; i < count; i++) {
      const made = this.#anyHost().core.sessions.create(OWNER, { agentId: 'agent' });
      const { sessionId } = await this.soon(made);
      this.#sessions.push(sessionId);
    }
  }

  async step(): Promise<void> {
    const dice = this.random.next();
    if (dice < 0.45) this.#letGoOn();
    else if (dice < 0.65) this.#flushOne();
    else if (dice < 0.8) this.#ask();
    else if (dice < 0.86) this.#answer();
    else if (dice < 0.9) this.#cancel();
    else if (dice < 0.93) this.#pass(this.random.between(1, 30_000));
    else if (dice < 0.95) this.#tick();
    else if (dice < 0.955) this.#clear();
    else if (dice < 0.96) this.#replay();
    else if (dice < 0.975) await this.#crashOne();
    else if (dice < 0.985) await this.#crashAll();
    else if (dice < 0.99) await this.#stopOne();
    else if (this.#hosts.length < 3) await this.#start();
    await settled();
    this.#steps += 1;
    if (this.#steps % CHECK_EVERY === 0 || this.isViolated) this.#check(false);
  }

  /** Lets everything that began end. */
  async rest(): Promise<void> {
    if (this.#hosts.length === 0) await this.#start();
    for (let i = 0; i < STEPS_TO_REST; i++) {
      for (const host of this.#hosts) {
        host.goOn();
        host.commit();
      }
      await settled();
      if (i % 20 === 19) {
        this.#pass(15_000);
        this.#tick();
      }
      if (i % 50 === 49) this.#answerAll();
      if (i % 25 === 24 && this.#isAtRest()) {
        this.#check(true);
        return;
      }
    }
    this.#check(true);
  }

  close(): void {
    for (const host of this.#hosts) host.kill();
    this.#disk.close();
  }

  commit(): boolean {
    return this.#hosts.map((host) => host.commit()).includes(true);
  }

  async #start(): Promise<void> {
    this.#started += 1;
    const { clock, ids, secrets } = this;
    const machine = { db: this.#disk.db, clock, ids, secrets };
    const outside = {
      random: this.random,
      perform: (callId: string) => {
        if (this.#performed.has(callId)) this.fail(`the call ${callId} was made twice`);
        this.#performed.add(callId);
      },
      newCallId: () => {
        this.#calls += 1;
        return `call-${String(this.#calls)}`;
      },
    };
    const host = new SimHost(`daemon-${String(this.#started)}`, machine, outside, this);
    this.#hosts.push(host);
    this.note('start', `start ${host.name}`);
    await this.soon(host.core.credentials.adoptOwnerToken('owner', '/home'));
    await this.soon(host.core.ownership.join());
    await this.soon(host.core.runner.poll());
  }

  #anyHost(): SimHost {
    return this.random.pick(this.#hosts);
  }

  #letGoOn(): void {
    const host = this.#anyHost();
    if (host.waiting.length === 0) return;
    const [go] = host.waiting.splice(this.random.below(host.waiting.length), 1);
    this.note('go on', `${host.name} goes on`);
    go?.();
  }

  #flushOne(): void {
    const host = this.#anyHost();
    if (!host.flush) return;
    this.note('commit', `${host.name} commits`);
    host.commit();
    // Hints arrive or not, and of more than was written.
    for (const other of this.#hosts) {
      if (other === host || !this.random.chance(0.5)) continue;
      other.core.runner.hint(
        this.random.chance(0.9) ? this.random.pick(this.#sessions) : undefined,
      );
    }
  }

  #ask(): void {
    const rule = this.random.pick(RULES);
    const host = this.#anyHost();
    const sessionId = this.random.pick(this.#sessions);
    if (this.random.chance(0.2) && this.#sessions.length > 1) {
      const from = this.random.pick(this.#sessions);
      const by: Principal = { kind: 'session', id: from, credentialId: 's' };
      const text = 'psst';
      const expiresInMs = this.random.between(1_000, 60_000);
      const request = { toSessionId: sessionId, text, expiresInMs };
      this.note('message', `${from} writes to ${sessionId}`);
      this.call(host.core.mailbox.send(by, from, request));
      return;
    }
    const priority = this.random.chance(0.2) ? { priority: this.random.below(10) } : {};
    this.note(rule, `${rule} to ${sessionId} at ${host.name}`);
    this.call(host.core.inbox.submit(OWNER, sessionId, { text: 'go', rule, ...priority }));
  }

  #answer(): void {
    const [approval] = this.#pending();
    if (!approval) return;
    const answer = this.random.chance(0.7) ? consentTo(approval) : DENIAL;
    this.note(answer.decision);
    // Two surfaces at once, now and then.
    for (let i = this.random.below(2); i >= 0; i--) {
      this.call(this.#anyHost().core.approvals.answer(OWNER, approval.approvalId, answer));
    }
  }

  #answerAll(): void {
    for (const approval of this.#pending()) {
      const { approvals } = this.#anyHost().core;
      this.call(approvals.answer(OWNER, approval.approvalId, consentTo(approval)));
    }
  }

  #pending(): Pending[] {
    return this.#disk.rows<Pending>(
      `SELECT "approvalId", "kind" FROM "approvals" WHERE "state" = 'pending' ORDER BY "approvalId"`,
    );
  }

  #cancel(): void {
    const runs = this.#disk.rows<{ runId: string }>(
      `SELECT "runId" FROM "runs" ORDER BY "runId" DESC LIMIT 5`,
    );
    if (runs.length === 0) return;
    const { runId } = this.random.pick(runs);
    this.note('cancel', `cancel ${runId}`);
    this.call(this.#anyHost().core.runs.cancel(OWNER, runId));
  }

  #clear(): void {
    const sessionId = this.random.pick(this.#sessions);
    this.note('clear', `clear ${sessionId}`);
    this.call(this.#anyHost().core.sessions.clear(OWNER, sessionId));
  }

  #replay(): void {
    const dead = this.#disk.rows<{ itemId: string }>(
      `SELECT "itemId" FROM "inboxItems" WHERE "state" = 'dead_letter' ORDER BY "itemId"`,
    );
    if (dead.length === 0) return;
    const { itemId } = this.random.pick(dead);
    this.note('replay', `replay ${itemId}`);
    this.call(this.#anyHost().core.inbox.replay(OWNER, itemId));
  }

  #pass(milliseconds: number): void {
    this.note('time');
    this.clock.move(milliseconds);
    for (const host of this.#hosts) host.timers.advance(0);
  }

  #tick(): void {
    for (const host of this.#hosts) {
      this.note('tick', `${host.name} ticks`);
      this.call(host.core.tick());
    }
  }

  async #crashOne(): Promise<void> {
    const host = this.#anyHost();
    this.note('crash of one', `${host.name} crashes`);
    host.kill();
    this.#hosts = this.#hosts.filter((other) => other !== host);
    if (this.#hosts.length === 0) await this.#start();
  }

  async #crashAll(): Promise<void> {
    this.note('crash of all');
    for (const host of this.#hosts) host.kill();
    this.#hosts = [];
    this.#disk.crash();
    await this.#start();
  }

  async #stopOne(): Promise<void> {
    const host = this.#anyHost();
    this.note('stop', `${host.name} stops`);
    const stopping = watch(host.core.runner.stop());
    for (let i = 0; i < 200 && !stopping.isDone; i++) {
      host.goOn();
      host.commit();
      host.timers.advance(0);
      await settled();
      if (i === 100) this.#pass(10_000);
    }
    if (!stopping.isDone) violated('a daemon does not stop', { host: host.name });
    host.kill();
    this.#hosts = this.#hosts.filter((other) => other !== host);
    if (this.#hosts.length === 0) await this.#start();
  }

  #isAtRest(): boolean {
    const [open] = this.#disk.rows<{ count: number }>(
      `SELECT (SELECT count(*) FROM "runs" WHERE "endedAt" IS NULL) +
         (SELECT count(*) FROM "inboxItems" WHERE "state" = 'waiting') AS "count"`,
    );
    return open?.count === 0;
  }

  #check(isAtRest: boolean): void {
    this.assertUnviolated();
    const rows = this.#disk.rows<LoggedEvent>(
      `SELECT t."name" AS "topic", e."seq", e."type", e."body" FROM "events" e
       JOIN "topics" t ON t."id" = e."topicId" WHERE t."name" LIKE 'session:%'
       ORDER BY t."name", e."seq"`,
    );
    for (const sessionId of this.#sessions) {
      const topic = `session:${sessionId}`;
      checkSession(
        rows.filter((row) => row.topic === topic),
        isAtRest,
      );
    }
  }
}

interface Pending {
  readonly approvalId: string;
  readonly kind: string;
}

const DENIAL: AnswerApproval = { decision: 'deny', scope: 'once' };

const consentTo = ({ kind }: Pending): AnswerApproval =>
  kind === 'question'
    ? { decision: 'answer', answer: 'yes' }
    : { decision: 'allow', scope: 'once' };
