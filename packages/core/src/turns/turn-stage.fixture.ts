import {
  type AutonomyPolicySettings,
  isTerminalRunStatus,
  type Lease,
  type Member,
  type Message,
  type PostMessage,
  type TurnDecision,
  type UpsertMember,
} from '@stoa/protocol';
import {
  type DirectedRun,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  type StoreEngine,
  until,
} from '@stoa/testkit';

const CHANNEL = 'team';
const MINUTE = 60_000;

/** A channel with sessions as members, whose runs the test controls. */
export class TurnStage {
  readonly #members = new Map<string, string>();
  #seen = 0;

  private constructor(
    readonly world: RuntimeWorld,
    public daemon: RuntimeDaemon,
  ) {}

  static async open(
    engine: StoreEngine,
    names: readonly string[],
    autonomyPolicy: AutonomyPolicySettings = {},
    changes: Parameters<RuntimeWorld['start']>[0] = {},
  ): Promise<TurnStage> {
    const world = await RuntimeWorld.open(engine);
    const stage = new TurnStage(world, await world.start(changes));
    await stage.core.channels.create(OWNER, { channelId: CHANNEL, title: 'Team', autonomyPolicy });
    for (const name of names) await stage.join(name);
    return stage;
  }

  get core() {
    return this.daemon.core;
  }

  async join(name: string, request: Partial<UpsertMember> = {}): Promise<Member> {
    const known = this.#members.get(name);
    const sessionId =
      known ?? (await this.core.sessions.create(OWNER, { agentId: 'helper' })).sessionId;
    this.#members.set(name, sessionId);
    return this.core.channels.upsertMember(OWNER, CHANNEL, {
      actorId: `session:${sessionId}`,
      memberId: name,
      ...(known === undefined ? { displayName: name } : {}),
      ...request,
    });
  }

  sessionOf(name: string): string {
    const sessionId = this.#members.get(name);
    if (sessionId === undefined) throw new Error(`there is no member ${name}`);
    return sessionId;
  }

  say(text: string, request: Partial<PostMessage> = {}): Promise<Message> {
    return this.core.channels.post(OWNER, CHANNEL, { text, ...request });
  }

  /** The next run that starts, with the name of its member. */
  async next(): Promise<{ name: string; run: DirectedRun }> {
    this.#seen += 1;
    const run = await this.daemon.driver.nth(this.#seen);
    const { sessionId } = run.context.session;
    const name = [...this.#members].find(([, id]) => id === sessionId)?.[0] ?? sessionId;
    return { name, run };
  }

  /** Lets the next speaker publish a text, or abstain. */
  async speak(text?: string): Promise<string> {
    const { name, run } = await this.next();
    await run.deliver();
    if (text !== undefined) await run.context.journal.emitOutput([{ type: 'text', text }]);
    run.complete();
    await this.ended(run);
    return name;
  }

  async ended({ runId }: DirectedRun): Promise<string> {
    return until(`${runId} ended`, async () => {
      const { status } = await this.core.runs.get(OWNER, runId);
      return isTerminalRunStatus(status) ? status : undefined;
    });
  }

  /** Moves the clock and reevaluates the threads that are due. */
  async pass(milliseconds: number): Promise<void> {
    this.world.clock.move(milliseconds);
    await this.core.turns.tick();
  }

  get runCount(): number {
    return this.daemon.driver.runs.length;
  }

  /** All messages of the channel, oldest first. */
  async read(): Promise<Message[]> {
    const page = await this.core.channels.messages(OWNER, CHANNEL, {
      scope: 'all',
      after: 0,
      limit: 200,
    });
    return page.messages;
  }

  async messages(): Promise<string[]> {
    return (await this.read()).map(({ author, inputItems }) => {
      const [item] = inputItems;
      return `${author.displayName}: ${item?.type === 'text' ? item.text : ''}`;
    });
  }

  /** All decisions about a thread, oldest first. */
  async decisions(rootMessageId: string): Promise<TurnDecision[]> {
    const page = { before: Number.MAX_SAFE_INTEGER, limit: 200 };
    return (await this.core.turns.decisions(OWNER, CHANNEL, rootMessageId, page)).reverse();
  }

  async lastTurn(rootMessageId: string): Promise<TurnDecision['turn']> {
    const last = (await this.decisions(rootMessageId)).at(-1);
    if (!last) throw new Error('there is no decision about this thread');
    return last.turn;
  }

  leases(live = true): Promise<Lease[]> {
    return this.core.turns.leases(OWNER, CHANNEL, live, 200);
  }

  async pause(paused: boolean): Promise<void> {
    await this.core.channels.update(OWNER, CHANNEL, { paused });
  }

  async restart(): Promise<void> {
    await this.daemon.abandon();
    this.world.clock.move(MINUTE);
    this.daemon = await this.world.start();
    this.#seen = 0;
  }

  /** Asserts that the tables equal a replay of the log. */
  async assertIntact(): Promise<void> {
    const report = await this.core.checkIntegrity();
    if (!report.ok) throw new Error(report.problems.join('\n'));
  }

  async close(): Promise<void> {
    await this.world.discard();
  }
}
