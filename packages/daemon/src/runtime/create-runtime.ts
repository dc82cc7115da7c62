import { homedir } from 'node:os';
import { join } from 'node:path';
import type {
  AgentDrivers,
  BuiltinToolsOptions,
  McpServers,
  Monitors,
  ShellTasks,
} from '@stoa/agent';
import {
  type Dreamer,
  type DreamOutcome,
  type Driver,
  decide,
  type ExtractionRequest,
  type Extractor,
  type RuntimePorts,
  type Timers,
} from '@stoa/core';
import {
  type Agent,
  type AgentDefinition,
  DRIVER_SPECS,
  type McpServerHealth,
  type ModelsConfig,
} from '@stoa/protocol';
import type { Logger } from 'pino';
import type { Config } from '../config/schema.js';
import { sessionToolNames } from '../mcp/session-tools.js';
import { VERSION } from '../version.js';
import { DiskAgentFiles } from './agent-files.js';
import { calendar } from './calendar.js';
import { LazyDriver, lazyExecutor } from './lazy.js';
import { isOfHome } from './location.js';
import { DiskMemoryFiles } from './memory-files.js';
import { readTranscript, transcriptIn } from './transcript-file.js';
import { DiskWorkspaces } from './workspaces.js';

export interface RuntimeOptions {
  readonly home: string;
  readonly config: Config;
  readonly daemonId: string;
  readonly location: string;
  readonly log: Logger;
  /** The default workspace of sessions. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The URL of the daemon for programs on this machine. */
  readonly url: () => string;
  readonly dreamEnded: (outcome: DreamOutcome, milliseconds: number) => void;
  /** The files of the program. */
  readonly installation: readonly string[];
}

/** Runs agents. It needs nothing of the domain: each run and each task provides what is needed. */
export interface Runtime {
  readonly ports: RuntimePorts;
  /** Every MCP server that these agents name, with its state if it was used; the others are idle. */
  mcpHealth(agents: readonly Agent[]): McpServerHealth[];
  /** Warnings about agents that were not known at the start. */
  warnings(): readonly string[];
  close(): Promise<void>;
}

/** The directory of the files of commands. */
const tasksOf = (home: string): string => join(home, 'tasks');

/** Whole milliseconds: not every engine stores fractions. */
export const toMs = (hours: number): number => Math.round(hours * 3_600_000);

const timers: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Creates the ports of sessions. The agent package is loaded when it is first needed. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { home, config, daemonId, location, log, directory } = options;
  const diagnose: RuntimePorts['diagnose'] = (message, details) => {
    log.warn(details, message);
  };
  let agents: LoadedAgents | undefined;
  const warnings: string[] = [];
  const loaded = once(async () => {
    agents = await loadAgents(options, diagnose, (problem) => {
      warnings.push(`there is no sandbox any more: ${problem}`);
    });
    return agents;
  });
  const drivers = new Map(
    [...DRIVER_SPECS.values()].map(({ kind, capabilities }): [typeof kind, Driver] => [
      kind,
      new LazyDriver(kind, capabilities, async () => (await loaded()).drivers[kind]),
    ]),
  );
  const workspaces = new DiskWorkspaces(home, directory, config.workspaces, diagnose);
  const tasksDirectory = tasksOf(home);
  return {
    ports: {
      daemonId,
      wasHere: (other) => isOfHome(home, other),
      timers,
      calendar,
      agentFiles: new DiskAgentFiles(home, (workspace) => workspaces.isTrusted(workspace)),
      definitionProblem: async (...asked) => (await loaded()).definitionProblem(...asked),
      definitionLack: async ({ driver }) => (await loaded()).drivers[driver.kind].lackOf(driver),
      builtinAgents: async () => (await loaded()).agents,
      workspaces,
      sharedAgents: config.sharedAgents,
      memory: {
        files: new DiskMemoryFiles(join(home, 'memory')),
        maxPromptChars: config.memory.maxPromptChars,
        ...(config.memory.extraction.enabled && {
          extractor: async (request: ExtractionRequest) => (await loaded()).extractor(request),
        }),
        dreams: {
          rules: {
            isEnabled: config.memory.dream.enabled,
            afterMs: toMs(config.memory.dream.afterHours),
            afterSessions: config.memory.dream.afterSessions,
          },
          dreamer: {
            modelProblem: async () => (await loaded()).dreamer.modelProblem(),
            dream: async (work) => (await loaded()).dreamer.dream(work),
          },
          counted: options.dreamEnded,
        },
      },
      drivers,
      configRules: config.permissions,
      approvalMs: toMs(config.approvals.expireHours),
      diagnose,
      taskExecutors: new Map(
        (['shells', 'monitors'] as const).map((name) => [
          EXECUTES[name],
          (tasks) =>
            lazyExecutor(
              async () => (await loaded())[name].executor(tasks),
              () => agents?.[name].executor(tasks),
            ),
        ]),
      ),
      taskDirectory: tasksDirectory,
      readTranscript: (path, range) => readTranscript(transcriptIn(tasksDirectory, path), range),
      location,
    },
    warnings: () => warnings,
    mcpHealth: (all) => healthOfAll(all, agents?.mcp.health() ?? []),
    async close() {
      for (const driver of drivers.values()) await driver.close();
      await agents?.mcp.close();
      agents?.shells.close();
      agents?.monitors.close();
    },
  };
}

/** The kind of task of each executor. */
const EXECUTES = { shells: 'shell', monitors: 'monitor' } as const;

interface LoadedAgents {
  readonly shells: ShellTasks;
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly mcp: Pick<McpServers, 'health' | 'close'>;
  readonly monitors: Monitors;
  readonly definitionProblem: RuntimePorts['definitionProblem'];
  readonly extractor: Extractor;
  readonly dreamer: Dreamer;
  readonly drivers: AgentDrivers;
}

async function loadAgents(
  { home, config, location, environment, url, installation }: RuntimeOptions,
  diagnose: RuntimePorts['diagnose'],
  sandboxLost: (problem: string) => void,
): Promise<LoadedAgents> {
  const agent = await import('@stoa/agent');
  const sandbox = new agent.Sandbox({
    home,
    // The default data directory.
    hidden: [join(homedir(), '.stoa')],
    installation,
    writable: config.sandbox.writable,
    programs: new agent.SystemPrograms({
      replaced: (problem) => {
        diagnose('there is no sandbox any more', { problem });
        sandboxLost(problem);
      },
    }),
  });
  void sandbox.report().then(({ kind, summary }) => {
    if (kind === 'none') diagnose('there is no sandbox', { summary });
  });
  const mcp = new agent.McpServers({
    sandbox,
    environment,
    passedVariables: config.shell.passVariables,
    version: VERSION,
    diagnose,
  });
  const shells = new agent.ShellTasks({
    tasksDirectory: tasksOf(home),
    sandbox,
    passedVariables: config.shell.passVariables,
    location,
    diagnose,
  });
  const monitors = new agent.Monitors({
    tasksDirectory: tasksOf(home),
    sandbox,
    passedVariables: config.shell.passVariables,
    now: () => performance.now(),
    wallClock: Date.now,
    timers,
    diagnose,
  });
  const toolOptions: BuiltinToolsOptions = {
    monitors,
    tasksDirectory: tasksOf(home),
    sandbox,
    shells,
    passedVariables: config.shell.passVariables,
  };
  const tools = new agent.ToolRunner({
    moreTools: (run) => mcp.toolsFor(run),
    tools: agent.builtinTools({ ...toolOptions, ...(config.webFetch.enabled && { webFetch: {} }) }),
    decide,
    home,
    now: () => performance.now(),
    diagnose,
  });
  const ownTools = sessionToolNames(agent);
  const drivers = agent.createDrivers({
    config: modelsOf(config),
    environment,
    tools,
    timers,
    clock: { now: Date.now },
    now: () => performance.now(),
    random: Math.random,
    readScript: (workspace, file) => agent.readScriptFile({ workspace, home }, file),
    sandbox,
    diagnose,
    home,
    decide,
    mcpFor({ tokens }) {
      const token = tokens.issue();
      return {
        url: `${url()}/mcp`,
        token: token.secret,
        tools: ownTools,
        revoke: () => {
          token.revoke();
        },
      };
    },
  });
  const toolNames = agent.builtinTools({ ...toolOptions, webFetch: {} }).map(({ name }) => name);
  const upkeep = {
    models: new agent.Models(modelsOf(config), environment, { timers, clock: { now: Date.now } }),
    timers,
    random: Math.random,
    model: config.memory.model,
  };
  return {
    extractor: agent.createExtractor(upkeep),
    dreamer: agent.createDreamer(upkeep),
    definitionProblem: (definition, workspace) =>
      agent.definitionProblem(definition, { toolNames, drivers }, workspace),
    agents: { [agent.GUIDE_ID]: agent.GUIDE, stoa: STOA },
    mcp,
    shells,
    monitors,
    drivers,
  };
}

/** Stoa's own agent, with the configured model. */
const STOA: AgentDefinition = {
  displayName: 'Stoa',
  description:
    'Works in a directory with the configured model, and asks before it changes anything',
  driver: { kind: 'builtin' },
  mode: 'ask',
  instructions: '',
};

const modelsOf = ({ providers, model, currency, modelRetries }: Config): ModelsConfig => ({
  ...(providers === undefined ? {} : { providers }),
  ...(model === undefined ? {} : { model }),
  ...(currency === undefined ? {} : { currency }),
  ...(modelRetries === undefined ? {} : { modelRetries }),
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function healthOfAll(
  agents: readonly Agent[],
  used: readonly McpServerHealth[],
): McpServerHealth[] {
  const servers = new Map(used.map((server) => [keyOf(server), server]));
  for (const { agentId, definition } of agents) {
    for (const name of Object.keys(definition?.mcpServers ?? {})) {
      const idle: McpServerHealth = { agentId, name, state: 'idle', tools: [] };
      if (!servers.has(keyOf(idle))) servers.set(keyOf(idle), idle);
    }
  }
  return [...servers.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ agentId, name }: McpServerHealth): string => `${agentId} ${name}`;
