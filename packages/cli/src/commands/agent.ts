import fs from 'node:fs';
import path from 'node:path';
import { StoaProblem } from '@stoa/client';
import type {
  Agent,
  AgentDefinition,
  DriverConfig,
  DriverConfigOf,
  DriverKind,
  McpServerHealth,
} from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { block, details } from '../terminal/details.js';
import { printable, printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface AgentOptions extends GlobalFlags {
  readonly workspace?: string;
}

export interface ShowAgentOptions extends AgentOptions {
  readonly markdown?: boolean;
}

export interface ListAgentsOptions extends AgentOptions {
  readonly quiet?: boolean;
}

export interface PutAgentOptions extends GlobalFlags {
  readonly acp?: string;
}

export async function listAgents(
  context: Context,
  _args: readonly string[],
  options: ListAgentsOptions,
): Promise<void> {
  const agents = await inWorkspace(options, (query) => context.client.agents.list(query));
  if (context.flags.json) context.json({ agents });
  else if (options.quiet) for (const { agentId } of agents) context.line(agentId);
  else if (agents.length === 0) context.say('no agents; create one: stoa agent put ID FILE.md');
  else context.line(agentTable(context, agents));
}

function agentTable(context: Context, agents: readonly Agent[]): string {
  return context.table(
    [
      { title: 'AGENT' },
      { title: 'NAME' },
      { title: 'DRIVER' },
      { title: 'MODE' },
      { title: 'FROM' },
      { title: 'WHAT' },
    ],
    agents.map(({ agentId, name, source, status, problem, lacks, definition }) => [
      agentId,
      printableLine(name),
      definition ? driverText(definition.driver) : '',
      definition?.mode ?? '',
      source,
      status === 'broken'
        ? `BROKEN: ${printableLine(problem ?? '')}`
        : lacks === undefined
          ? printableLine(definition?.description ?? '')
          : `CANNOT WORK: ${printableLine(lacks)}`,
    ]),
  );
}

export async function showAgent(
  context: Context,
  [agentId = '']: readonly string[],
  options: ShowAgentOptions,
): Promise<void> {
  const { agents } = context.client;
  const agent = await inWorkspace(options, (query) => agents.get(agentId, query));
  if (options.markdown) await writeFile(context, agent);
  else show(context, agent);
}

/** As `put` takes it back. */
async function writeFile({ io }: Context, { agentId, definition, problem }: Agent): Promise<void> {
  if (!definition) {
    throw new StoaProblem('agent_broken', 409, `${agentId} cannot be read: ${problem ?? ''}`);
  }
  const { agentFileText } = await import('../agent-file.js');
  const text = agentFileText(definition);
  io.out(io.outIsTerminal ? printable(text) : text);
}

/** This directory is only a guess: where agents may not work in it, there are those of the daemon. */
async function inWorkspace<T>(
  { workspace }: AgentOptions,
  ask: (query: { workspace?: string }) => Promise<T>,
): Promise<T> {
  if (workspace !== undefined) return ask({ workspace: path.resolve(workspace) });
  try {
    return await ask({ workspace: process.cwd() });
  } catch (error) {
    if (error instanceof StoaProblem && NO_WORKSPACE.has(error.code)) return ask({});
    throw error;
  }
}

const NO_WORKSPACE: ReadonlySet<string> = new Set(['forbidden', 'invalid_workspace']);

export async function putAgent(
  context: Context,
  [agentId = '', file]: readonly string[],
  { acp }: PutAgentOptions,
): Promise<void> {
  if ((file === undefined) === (acp === undefined)) {
    throw new UsageError('Give either a file or --acp with a program that speaks ACP');
  }
  const definition =
    file === undefined
      ? { driver: { kind: 'acp', preset: acp } }
      : await definitionIn(context, file);
  // The daemon validates it and returns problems with their paths.
  show(context, await context.client.agents.put(agentId, definition as unknown as AgentDefinition));
  await sayOutdated(context, agentId);
}

const OUTDATED_SHOWN = 100;

/** Sessions keep the definition that they were made with until they are refreshed. */
async function sayOutdated(context: Context, agentId: string): Promise<void> {
  const { client } = context;
  const { sessions } = await client.sessions.list({ agentId, limit: OUTDATED_SHOWN });
  const ids: string[] = [];
  for (const { sessionId } of sessions) {
    const { definitionChanged = false } = await client.sessions.get(sessionId);
    if (definitionChanged) ids.push(sessionId);
  }
  if (ids.length > 0)
    context.say(
      `the definition changed; update the sessions: stoa session refresh ${ids.join(' ')}`,
    );
}

async function definitionIn(context: Context, file: string): Promise<object> {
  const text = await readText(context, file);
  // Loaded here: of all commands only these know YAML.
  const { readAgentFile } = await import('../agent-file.js');
  return readAgentFile(text, file === '-' ? 'standard input' : file);
}

async function readText(context: Context, file: string): Promise<string> {
  try {
    const bytes = file === '-' ? await context.io.stdin() : fs.readFileSync(file);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

export async function deleteAgent(
  context: Context,
  [agentId = '']: readonly string[],
): Promise<void> {
  await context.client.agents.delete(agentId);
  context.answer(
    { deleted: agentId },
    () => `${agentId} is deleted; its sessions keep their copy of the definition.`,
  );
}

export async function nicknameAgent(
  context: Context,
  [agentId = '', ...words]: readonly string[],
): Promise<void> {
  const nickname = words.length === 0 ? null : words.join(' ');
  const agent = await context.client.agents.setNickname(agentId, nickname);
  context.answer(agent, () => `${agentId} is called ${printableLine(agent.name)}.`);
}

/** Of all agents, or of one, which must be there then: without servers is not the same as unknown. */
export async function listMcpServers(
  context: Context,
  [agentId]: readonly string[],
): Promise<void> {
  const { agents } = context.client;
  const all = await agents.mcpServers();
  const servers = all.filter((server) => agentId === undefined || server.agentId === agentId);
  if (agentId !== undefined && servers.length === 0) {
    await inWorkspace({}, (query) => agents.get(agentId, query));
  }
  if (context.flags.json) context.json({ servers });
  else if (servers.length === 0)
    context.say('no MCP servers; define them in an agent as mcpServers');
  else context.line(serverTable(context, servers));
}

function serverTable(context: Context, servers: readonly McpServerHealth[]): string {
  const titles = ['AGENT', 'SERVER', 'STATE', 'TOOLS'];
  return context.table(
    titles.map((title) => ({ title })),
    servers.map(({ agentId, name, state, reason, tools }) => [
      agentId,
      name,
      state,
      printableLine(reason ?? tools.join(' ')),
    ]),
  );
}

function show(context: Context, agent: Agent): void {
  context.answer(agent, () => agentText(context, agent));
}

function agentText({ paint, io }: Context, agent: Agent): string {
  const { definition, updatedAt } = agent;
  const { permissions = {}, mcpServers = {} } = definition ?? {};
  const instructions = definition?.instructions ?? '';
  const text = details(paint, { title: agent.name, id: agent.agentId }, [
    ['status', agent.status === 'broken' ? `broken: ${agent.problem ?? ''}` : undefined],
    ['cannot work', agent.lacks],
    ['description', definition?.description],
    ['nickname', agent.nickname],
    ['driver', definition && driverText(definition.driver)],
    ['mode', definition?.mode],
    ['tools', definition?.tools?.only?.join(' ')],
    ['without', definition?.tools?.without?.join(' ')],
    ...(['deny', 'ask', 'allow'] as const).map(
      (kind) => [kind, permissions[kind]?.join('\n')] as const,
    ),
    ['mcp servers', Object.keys(mcpServers).join(' ')],
    ['from', agent.path ?? agent.source],
    ['changed', updatedAt === undefined ? undefined : relativeTime(updatedAt, io.now())],
  ]);
  const driver = definition?.driver;
  const texts: DriverTexts | undefined = driver && DRIVER_TEXTS[driver.kind];
  const source = (driver && texts?.source?.(driver)) ?? '';
  return [
    text,
    ...(instructions === '' ? [] : [block(paint, 'instructions', instructions)]),
    ...(source === '' ? [] : [block(paint, 'script', source.trimEnd())]),
  ].join('\n');
}

interface DriverTexts<Config extends DriverConfig = DriverConfig> {
  /** What follows the kind, in one line. */
  words(driver: Config): readonly (string | undefined)[];
  /** A text of its own, shown as a block. */
  source?(driver: Config): string | undefined;
}

/** How each kind of driver is shown. */
const DRIVER_TEXTS: { readonly [K in DriverKind]: DriverTexts<DriverConfigOf<K>> } = {
  builtin: { words: ({ provider, model }) => [provider, model] },
  acp: { words: ({ preset, command, model }) => [preset ?? command?.[0], model] },
  script: { words: ({ file }) => [file], source: ({ script }) => script },
};

function driverText(driver: DriverConfig): string {
  const texts: DriverTexts = DRIVER_TEXTS[driver.kind];
  return [driver.kind, ...texts.words(driver)].filter(Boolean).map(line).join(' ');
}

function line(text: string | undefined): string {
  return printableLine(text ?? '');
}
