import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver, Timers } from '@stoa/core';
import type {
  AgentDefinition,
  AnswerApproval,
  Approval,
  DriverKind,
  PermissionRules,
} from '@stoa/protocol';
import { STORE_ENGINES } from '../engines/store-engines.js';
import { AgentSession, definitionOf } from '../runtime/agent-session.js';
import { OWNER, type RuntimeDaemon, RuntimeWorld } from '../runtime/runtime-world.js';
import { until } from '../time/until.js';
import {
  FAKE_AGENT,
  type FakeAgentEntry,
  type FakeAgentOptions,
  readAgentLog,
} from './fake-agent.js';
import { processesWith } from './living-processes.js';

type AcpDriverConfig = Extract<AgentDefinition['driver'], { kind: 'acp' }>;

export interface AgentFixtureOptions {
  /** Makes the driver under test. */
  readonly driver: (parts: AgentParts) => Driver;
  readonly agent?: Omit<FakeAgentOptions, 'log' | 'store'>;
  /** Whether the fake agent can load its sessions again. */
  readonly keepsSessions?: boolean;
  /** Another program than the fake agent. */
  readonly config?: Partial<AcpDriverConfig>;
  readonly definition?: Partial<AgentDefinition>;
  readonly permissions?: PermissionRules;
}

/** What a driver of programs is made of here. */
export interface AgentParts {
  /** The directory that agents must not see. */
  readonly home: string;
  /** Where the fake agent writes its prompts. */
  readonly writable: readonly string[];
  readonly timers: Timers;
  readonly now: () => number;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

const systemTimers: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** A daemon with one agent that is a separate program, in directories that are removed afterwards. */
export class AgentFixture {
  readonly diagnoses: { readonly message: string; readonly details: unknown }[] = [];
  /** In the environment of every process that the agent starts. */
  readonly mark = `fixture-${randomUUID()}`;
  #daemon!: RuntimeDaemon;
  #driver!: Driver;
  #environment: Readonly<Record<string, string>> = {};

  private constructor(
    private readonly root: string,
    private readonly world: RuntimeWorld,
    private readonly options: AgentFixtureOptions,
  ) {}

  static async open(options: AgentFixtureOptions): Promise<AgentFixture> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'stoa-agent-')));
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    const fixture = new AgentFixture(root, await RuntimeWorld.open(engine), options);
    await mkdir(fixture.workspace);
    await mkdir(fixture.home);
    await mkdir(fixture.#program);
    await fixture.#start();
    return fixture;
  }

  get workspace(): string {
    return join(this.root, 'workspace');
  }

  get home(): string {
    return join(this.root, 'home');
  }

  get daemon(): RuntimeDaemon {
    return this.#daemon;
  }

  get driver(): Driver {
    return this.#driver;
  }

  /** What the fake agent received. */
  get received(): FakeAgentEntry[] {
    return readAgentLog(this.#log);
  }

  /** The prompts of the fake agent, each as one text. */
  get prompts(): string[] {
    return this.received.flatMap(({ type, prompt = [] }) =>
      type === 'prompt' ? [prompt.map(({ text = '' }) => text).join('\n')] : [],
    );
  }

  /** The living processes of this fixture's agents. */
  get processes(): number[] {
    return processesWith(this.mark);
  }

  session(agentId = 'helper'): Promise<AgentSession> {
    return AgentSession.open(this.#daemon, agentId);
  }

  /** Waits until something is asked in a session. */
  asked({ sessionId }: AgentSession): Promise<Approval> {
    const query = { state: 'pending' as const, sessionId, limit: 1 };
    return until(
      'something is asked',
      async () => (await this.#daemon.core.approvals.list(OWNER, query)).approvals[0],
      // A real program takes its time to start where the machine is busy.
      { timeoutMs: 60_000 },
    );
  }

  async answer(session: AgentSession, answer: AnswerApproval): Promise<Approval> {
    const { approvalId } = await this.asked(session);
    return this.#daemon.core.approvals.answer(OWNER, approvalId, answer);
  }

  /** The agent gets these variables too; sessions take them over when they are refreshed. */
  redefine(environment: Readonly<Record<string, string>>): void {
    this.#environment = environment;
  }

  /** The daemon is killed, its programs end with it, and another one starts on its data. */
  async restart(): Promise<void> {
    await this.#daemon.abandon();
    await this.#driver.close();
    await this.#start();
  }

  /** Afterwards nothing of its agents is left, or it throws. */
  async close(): Promise<void> {
    await this.#daemon.core.runner.stop();
    await this.#driver.close();
    await this.world.discard();
    await rm(this.root, { recursive: true, force: true });
    const left = this.processes;
    if (left.length > 0) throw new Error(`processes of an agent are left: ${left.join(', ')}`);
  }

  get #log(): string {
    return join(this.#program, 'agent.log');
  }

  get #program(): string {
    return join(this.root, 'program');
  }

  async #start(): Promise<void> {
    const {
      driver: makeDriver,
      permissions,
      agent = {},
      config = {},
      definition = {},
    } = this.options;
    const fake: FakeAgentOptions = {
      ...agent,
      log: this.#log,
      ...(this.options.keepsSessions === true
        ? { store: join(this.#program, 'sessions.json') }
        : {}),
    };
    const acp: AcpDriverConfig = {
      kind: 'acp',
      command: [process.execPath, FAKE_AGENT],
      ...config,
      env: {
        FAKE_AGENT: JSON.stringify(fake),
        STAGE_MARK: this.mark,
        STAGE_HOME: this.home,
        ...config.env,
      },
    };
    this.#driver = makeDriver({
      home: this.home,
      writable: [this.#program],
      timers: systemTimers,
      now: () => performance.now(),
      environment: process.env,
      diagnose: (message, details) => this.diagnoses.push({ message, details }),
    });
    const agents = () => {
      const driver = { ...acp, env: { ...acp.env, ...this.#environment } };
      return { helper: { ...definitionOf(driver, 'Be brief.'), ...definition } };
    };
    this.#daemon = await this.world.start({
      builtinAgents: () => Promise.resolve(agents()),
      drivers: new Map<DriverKind, Driver>([['acp', this.#driver]]),
      sharedAgents: ['*'],
      workspaces: {
        resolve: () => Promise.resolve(this.workspace),
        instructions: () => Promise.resolve('Use two spaces.'),
        isShared: () => true,
        isSelfApproved: () => true,
      },
      ...(permissions === undefined ? {} : { configRules: permissions }),
    });
  }
}
