import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type {
  BuiltinToolsOptions,
  DefinitionCheckPorts,
  McpServers,
  Monitors,
  ShellTasks,
} from '@stoa/agent';
import {
  type Core,
  DRIVER_CAPABILITIES,
  type Dreamer,
  type DreamOutcome,
  type Driver,
  decide,
  type ExtractionRequest,
  type Extractor,
  type LogEntry,
  type RuntimePorts,
} from '@stoa/core';
import {
  type AgentDefinition,
  type DriverKind,
  type McpServerHealth,
  type ModelsConfig,
  StoaError,
} from '@stoa/protocol';
import type { Logger } from 'pino';
import type { DiskAssetFiles } from '../assets/asset-files.js';
import type { Config } from '../config/schema.js';
import { sessionToolNames } from '../mcp/session-tools.js';
import { VERSION } from '../version.js';
import { DiskAgentFiles } from './agent-files.js';
import { calendar } from './calendar.js';
import { LazyDriver } from './lazy-driver.js';
import { LazyExecutor } from './lazy-executor.js';
import { mcpHealth } from './mcp-health.js';
import { DiskMemoryFiles } from './memory-files.js';
import { isOfHome } from './place.js';
import { type RemovedFiles, TaskFiles } from './task-files.js';
import { TaskTranscripts } from './task-transcripts.js';
import { timers } from './timers.js';
import { readTranscript, transcriptIn } from './transcript-file.js';
import { DiskWorkspaces } from './workspaces.js';

export interface RuntimeOptions {
  readonly home: string;
  readonly config: Config;
  readonly daemonId: string;
  readonly place: string;
  readonly log: Logger;
  readonly files: DiskAssetFiles;
  /** The directory that sessions work in when nobody says otherwise. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where programs on this machine reach the daemon. */
  readonly url: () => string;
  readonly dreamEnded: (outcome: DreamOutcome, milliseconds: number) => void;
  /** Where the code of the daemon is. */
  readonly installation: readonly string[];
}

/** What runs agents, until the domain it serves is there. */
export interface Runtime {
  readonly ports: RuntimePorts;
  /** Told of every commit. Must not throw. */
  committed(entries: readonly LogEntry[]): void;
  /** Goes on with what the last daemon here wrote down; when its tasks were taken up again. */
  recover(): Promise<void>;
  /** Drivers call back into the domain, which is made with them. */
  attach(core: Core): void;
  /** The MCP servers of agents: those that are configured, and how those are that were used. */
  mcpServers(): Promise<McpServerHealth[]>;
  /** What people should know of what agents run with, and could not be seen at the start. */
  warnings(): readonly string[];
  /** Clears what a daemon that was killed left behind; before anything is run. */
  tidy(): Promise<void>;
  /** Removes files of tasks that are over for long, as far as one sweep goes. */
  sweepTaskFiles(goOn: () => boolean): Promise<RemovedFiles>;
  close(): Promise<void>;
}

/** Where commands keep their files. */
const tasksOf = (home: string): string => join(home, 'tasks');
const toMs = (hours: number): number => Math.round(hours * 3_600_000);

/** Makes the ports of sessions. The agents themselves are loaded when the first of them is asked for. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { home, config, daemonId, place, log, directory } = options;
  let attached: Core | undefined;
  const core = (): Core => {
    if (!attached) throw new StoaError('shutting_down', 'The domain is not there yet');
    return attached;
  };
  const diagnose: RuntimePorts['diagnose'] = (message, details) => {
    log.warn(details, message);
  };
  let mcp: LoadedAgents['mcp'] | undefined;
  let shells: ShellTasks | undefined;
  let monitors: Monitors | undefined;
  const warnings: string[] = [];
  const loaded = once(async () => {
    const agents = await loadAgents(options, core, diagnose, (problem) => {
      warnings.push(`there is no sandbox any more: ${problem}`);
    });
    ({ mcp, shells, monitors } = agents);
    return agents;
  });
  const lazy = (kind: DriverKind): [DriverKind, Driver] => [
    kind,
    new LazyDriver(kind, DRIVER_CAPABILITIES[kind], async () => (await loaded()).driver(kind)),
  ];
  const drivers = new Map<DriverKind, Driver>([lazy('builtin'), lazy('script'), lazy('acp')]);
  const workspaces = new DiskWorkspaces(home, directory, config.workspaces, diagnose);
  const tasksDirectory = tasksOf(home);
  const keptMs = toMs(config.retention.taskFileHours);
  const transcripts = new TaskTranscripts({ tasksDirectory, place, core, keptMs, diagnose });
  const taskFiles = new TaskFiles({
    tasksDirectory,
    tasks: () => core().tasks,
    isRunning: async (...asked) => (await import('@stoa/agent')).isRunningCommand(...asked),
    keptMs,
    now: Date.now,
  });
  return {
    ports: {
      daemonId,
      wasHere: (other) => isOfHome(home, other),
      timers,
      calendar,
      agentFiles: new DiskAgentFiles(home, (workspace) => workspaces.isTrusted(workspace)),
      definitionProblem: async (...asked) => (await loaded()).definitionProblem(...asked),
      definitionLack: async (definition) => (await loaded()).definitionLack(definition),
      builtinAgents: async () => (await loaded()).agents,
      workspaces,
      sharedAgents: config.sharedAgents,
      memory: {
        files: new DiskMemoryFiles(join(home, 'memory')),
        toldChars: config.memory.toldChars,
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
      taskExecutors: new Map([
        [
          'shell',
          new LazyExecutor(
            async () => (await loaded()).shells,
            () => shells,
          ),
        ],
        [
          'monitor',
          new LazyExecutor(
            async () => (await loaded()).monitors,
            () => monitors,
          ),
        ],
      ]),
      taskDirectory: tasksDirectory,
      readTranscript: (path, range) => readTranscript(transcriptIn(tasksDirectory, path), range),
      place,
    },
    attach(made) {
      attached = made;
    },
    committed(entries) {
      transcripts.committed(entries);
    },
    recover: () => transcripts.recover(),
    warnings: () => warnings,
    mcpServers: async () => mcpHealth(await core().agents.list(), mcp?.health() ?? []),
    async tidy() {
      // Agents are loaded for this only where there is something to clear.
      const left = await readdir(tasksDirectory).catch(() => []);
      if (left.length === 0) return;
      const { clearLeftCommands } = await import('@stoa/agent');
      await clearLeftCommands(tasksDirectory, (taskId) => isKept(core(), taskId));
    },
    sweepTaskFiles: (goOn) => taskFiles.sweep(goOn),
    async close() {
      for (const driver of drivers.values()) await driver.close();
      await transcripts.close();
      await mcp?.close();
      shells?.close();
      monitors?.close();
    },
  };
}

interface LoadedAgents {
  readonly shells: ShellTasks;
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly mcp: Pick<McpServers, 'health' | 'close'>;
  readonly monitors: Monitors;
  readonly definitionProblem: RuntimePorts['definitionProblem'];
  readonly definitionLack: (definition: AgentDefinition) => Promise<string | undefined>;
  readonly extractor: Extractor;
  readonly dreamer: Dreamer;
  driver(kind: DriverKind): Driver;
}

async function loadAgents(
  { home, config, place, files, environment, url, installation }: RuntimeOptions,
  core: () => Core,
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
    registry: () => core().tasks,
    place,
    diagnose,
  });
  const monitors = new agent.Monitors({
    tasks: () => core().tasks,
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
  const builtin = agent.createBuiltinDriver({
    config: modelsOf(config),
    environment,
    tools,
    timers,
    clock: { now: Date.now },
    random: Math.random,
    findAsset: (assetId) => findAsset(core(), files, assetId),
  });
  const readScript = (workspace: string, file: string): Promise<string> =>
    agent.readScriptFile({ workspace, home }, file);
  const acp = new agent.AcpDriver({
    sandbox,
    timers,
    now: () => performance.now(),
    diagnose,
    environment,
    home,
    decide,
    findAsset: (assetId) => findAsset(core(), files, assetId),
    mcpFor: (sessionId) => {
      const token = core().sessionTokens.issue(sessionId);
      return {
        url: `${url()}/mcp`,
        token: token.secret,
        tools: sessionToolNames(agent),
        revoke: () => {
          token.revoke();
        },
      };
    },
  });
  const drivers: Partial<Record<DriverKind, Driver>> = {
    script: new agent.ScriptDriver({ tools, timers, readScript }),
    builtin,
    acp,
  };
  const checkPorts: DefinitionCheckPorts = {
    toolNames: agent.builtinTools({ ...toolOptions, webFetch: {} }).map(({ name }) => name),
    modelProblem: (wish) => builtin.modelProblem(wish),
    modelLack: (wish) => builtin.lackOf(wish),
    programProblem: (driver) => acp.problemOf(driver),
    environment,
    readScript,
  };
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
      agent.definitionProblem(definition, checkPorts, workspace),
    definitionLack: (definition) => agent.definitionLack(definition, checkPorts),
    agents: { [agent.GUIDE_ID]: agent.GUIDE, stoa: STOA },
    mcp,
    shells,
    monitors,
    driver(kind) {
      const driver = drivers[kind];
      if (!driver) throw new StoaError('unknown_driver', `This daemon has no driver ${kind}`);
      return driver;
    },
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

/** One that was collected since is told to the agent as gone. */
async function findAsset(core: Core, files: DiskAssetFiles, assetId: string) {
  try {
    const { digest, mediaType, name, bytes: size } = await core.assets.get(assetId);
    return { name, mediaType, size, bytes: () => readFile(files.pathOf(digest)) };
  } catch (error) {
    if (error instanceof StoaError && error.code === 'asset_not_found') return undefined;
    throw error;
  }
}

/** Whether a task is listed: its files are there for who reads of it. */
async function isKept({ tasks }: Core, taskId: string): Promise<boolean> {
  try {
    await tasks.get({ kind: 'system' }, taskId);
    return true;
  } catch (error) {
    return !(error instanceof StoaError && error.code === 'task_not_found');
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
