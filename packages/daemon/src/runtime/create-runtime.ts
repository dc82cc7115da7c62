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
} from '@stoa/core';
import {
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
import { LazyDriver } from './lazy-driver.js';
import { LazyExecutor } from './lazy-executor.js';
import { isOfHome } from './location.js';
import { DiskMemoryFiles } from './memory-files.js';
import { timers } from './timers.js';
import { readTranscript, transcriptIn } from './transcript-file.js';
import { DiskWorkspaces } from './workspaces.js';

export interface RuntimeOptions {
  readonly home: string;
  readonly config: Config;
  readonly daemonId: string;
  readonly location: string;
  readonly log: Logger;
  /** The directory that sessions work in when nobody says otherwise. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where programs on this machine reach the daemon. */
  readonly url: () => string;
  readonly dreamEnded: (outcome: DreamOutcome, milliseconds: number) => void;
  /** Where the code of the daemon is. */
  readonly installation: readonly string[];
}

/** What runs agents. It needs nothing of the domain: each run and each task brings what is needed. */
export interface Runtime {
  readonly ports: RuntimePorts;
  /** The state of the MCP servers that were used. */
  mcpHealth(): McpServerHealth[];
  /** What people should know about what agents run with and could not be seen at the start. */
  warnings(): readonly string[];
  close(): Promise<void>;
}

/** Where commands keep their files. */
const tasksOf = (home: string): string => join(home, 'tasks');
const toMs = (hours: number): number => Math.round(hours * 3_600_000);

/** Makes the ports of sessions. The agents themselves are loaded when the first of them is asked for. */
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
            new LazyExecutor(
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
    mcpHealth: () => agents?.mcp.health() ?? [],
    async close() {
      for (const driver of drivers.values()) await driver.close();
      await agents?.mcp.close();
      agents?.shells.close();
      agents?.monitors.close();
    },
  };
}

/** The kind of task that each executes. */
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

/** The agent of Stoa itself, on the model that is configured. */
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
