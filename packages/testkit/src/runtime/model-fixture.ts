import type { Clock, Driver, Timers } from '@stoa/core';
import type { AgentDefinition, DriverKind } from '@stoa/protocol';
import { STORE_ENGINES } from '../engines/store-engines.js';
import { FakeModel, type FakeModelOptions } from '../models/fake-model.js';
import { AgentSession, definitionOf } from './agent-session.js';
import { type RuntimeDaemon, RuntimeWorld } from './runtime-world.js';
import { type TracedTool, TracedTools } from './traced-tools.js';

/** The key of the only provider, which must not appear anywhere. */
export const CANARY_KEY = 'sk-canary-0123456789';

interface Price {
  readonly input: number;
  readonly cachedInput?: number;
  readonly output: number;
}

/** What a driver with a model is made of here. */
export interface DriverParts {
  readonly config: {
    readonly providers: Record<
      string,
      {
        kind: 'openai' | 'anthropic';
        baseUrl: string;
        apiKey: string;
        models: Record<string, { contextTokens?: number; price?: Price }>;
      }
    >;
    readonly model: string;
  };
  readonly tools: TracedTools;
  readonly timers: Timers;
  readonly clock: Clock;
}

export interface ModelFixtureOptions {
  readonly driver: (parts: DriverParts) => Driver;
  readonly wire?: 'openai' | 'anthropic';
  readonly tools?: Readonly<Record<string, TracedTool>>;
  readonly server?: FakeModelOptions;
  readonly model?: { readonly contextTokens?: number; readonly price?: Price };
  readonly definition?: Partial<AgentDefinition>;
  readonly workspaceInstructions?: string;
  readonly timers?: Timers;
  /** Wraps the driver of the first daemon only. */
  readonly around?: (driver: Driver) => Driver['execute'];
}

/** Waits take no time, and are kept; what would wait for minutes is not called back. */
export class QuickTimers implements Timers {
  readonly waits: number[] = [];

  after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds >= MINUTES_MS) return () => undefined;
    this.waits.push(milliseconds);
    const immediate = setImmediate(callback);
    return () => {
      clearImmediate(immediate);
    };
  }
}

const MINUTES_MS = 300_000;

/** A daemon with one agent, whose model is a fake server that speaks the real wire. */
export class ModelFixture {
  private constructor(
    readonly model: FakeModel,
    readonly daemon: RuntimeDaemon,
    readonly session: AgentSession,
    readonly tools: TracedTools,
    /** What was waited for before asking again. */
    readonly waits: readonly number[],
    private readonly next: () => Promise<{ daemon: RuntimeDaemon; tools: TracedTools }>,
    private readonly world: RuntimeWorld,
  ) {}

  static async open(options: ModelFixtureOptions): Promise<ModelFixture> {
    const { wire = 'openai', timers = new QuickTimers() } = options;
    const model = await FakeModel.start({ key: CANARY_KEY, ...options.server });
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    const world = await RuntimeWorld.open(engine);
    const baseUrl = wire === 'openai' ? model.openaiUrl : model.anthropicUrl;
    const models = { 'fake-model': options.model ?? {} };
    const config = {
      providers: { fake: { kind: wire, baseUrl, apiKey: CANARY_KEY, models } },
      model: 'fake/fake-model',
    };
    const definition = { ...definitionOf({ kind: 'builtin' }, 'Be brief.'), ...options.definition };
    const start = async (around?: ModelFixtureOptions['around']) => {
      const tools = new TracedTools(options.tools ?? {});
      const driver = options.driver({ config, tools, timers, clock: world.clock });
      const wrapped = around ? withExecute(driver, around(driver)) : driver;
      const daemon = await world.start({
        builtinAgents: () => Promise.resolve({ helper: definition }),
        drivers: new Map<DriverKind, Driver>([['builtin', wrapped]]),
        workspaces: {
          resolve: () => Promise.resolve('/work'),
          instructions: () => Promise.resolve(options.workspaceInstructions),
          isShared: () => true,
          isSelfApproved: () => true,
        },
      });
      return { daemon, tools };
    };
    const { daemon, tools } = await start(options.around);
    const session = await AgentSession.open(daemon, 'helper');
    const waits = timers instanceof QuickTimers ? timers.waits : [];
    return new ModelFixture(model, daemon, session, tools, waits, () => start(), world);
  }

  /** The daemon is killed, and another one starts on its data. */
  readonly restart = async (): Promise<ModelFixture> => {
    await this.daemon.abandon();
    const { daemon, tools } = await this.next();
    const session = this.session.on(daemon);
    return new ModelFixture(this.model, daemon, session, tools, this.waits, this.next, this.world);
  };

  async close(): Promise<void> {
    await this.world.discard();
    await this.model.close();
  }
}

const withExecute = (driver: Driver, execute: Driver['execute']): Driver => ({
  kind: driver.kind,
  capabilities: driver.capabilities,
  execute,
  forget: (sessionId) => {
    driver.forget(sessionId);
  },
  close: () => driver.close(),
});
