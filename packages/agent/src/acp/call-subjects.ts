import type { Subject } from '../tools/tool.js';
import { type McpName, mcpArguments, mcpNames, possibleMcpNames } from './mcp-names.js';
import { commandText, namedArguments } from './named-arguments.js';
import { OWN_SERVER, type OwnServer } from './session-servers.js';
import type { ToolCall } from './tool-call.js';

/** What a call does, as far as the program describes it. */
export interface CallSubjects {
  readonly kind: ToolCall['kind'];
  /** The strictest decision on any of them is the decision on the call. */
  readonly subjects: readonly Subject[];
  /** Other possible meanings of the call, which deny and ask rules match too. */
  readonly possible: readonly Subject[];
  /** The tool of Stoa's own server, if the call is nothing else. */
  readonly ownTool?: string;
}

/** The MCP servers that a session of a program received. */
export interface KnownServers {
  readonly own: OwnServer | undefined;
  readonly names: readonly string[];
}

/**
 * The subjects of a call: everything that its arguments name, independent of the kind that the program reports. If that
 * is not enough to know what the call does, the subject `none` is among them, and people are asked.
 */
export function callSubjects(
  call: ToolCall,
  workspace: string,
  servers: KnownServers,
): CallSubjects {
  const named = namedArguments(call.rawInput, workspace);
  const { own } = servers;
  const tools = mcpNames(call, [...(own ? [own.name] : []), ...servers.names]);
  const ownTool = own && ownToolOf(call, tools, own, workspace);
  if (ownTool !== undefined) {
    const subjects: Subject[] = [{ type: 'mcp', server: OWN_SERVER, tool: ownTool }];
    return { kind: 'other', subjects, possible: [], ownTool };
  }
  const { kind } = call;
  const commands = named.commands.map((command): Subject => ({ type: 'shell', command }));
  const possible = possibleSubjects(call, commands.length > 0);
  if (tools.length > 0) {
    const ofTools = tools.map((tool): Subject => ({ type: 'mcp', ...tool }));
    // Only commands count among the arguments of an MCP tool: paths and hosts may mean anything there.
    return { kind: 'other', subjects: [...ofTools, ...commands], possible };
  }
  const hosts = named.hosts.map((host): Subject => ({ type: 'url', host }));
  // The paths of a command are part of the command and of its decision.
  const isCommand = kind === 'execute';
  const given = isCommand ? [] : [...new Set([...named.paths, ...call.paths])];
  const paths = given.map((path): Subject => ({ type: 'path', path }));
  const subjects = [...commands, ...paths, ...hosts];
  if (!named.isUnclear && isKnown(kind, { commands, paths, hosts })) {
    return { kind, subjects, possible };
  }
  // Some programs report their command only in the title.
  const titled = isCommand && commands.length === 0 ? commandText(call.title) : undefined;
  if (titled !== undefined) subjects.push({ type: 'shell', command: titled });
  return { kind: isCommand ? kind : 'other', subjects: [...subjects, { type: 'none' }], possible };
}

/**
 * The tool of Stoa's own server that a call refers to: all names of the call refer to it, the server offers it to this
 * session, and the arguments contain no command, path or host.
 */
function ownToolOf(
  call: ToolCall,
  tools: readonly McpName[],
  own: OwnServer,
  workspace: string,
): string | undefined {
  const [first] = tools;
  if (first?.server !== own.name || tools.length > 1 || !own.tools.has(first.tool))
    return undefined;
  const isAlwaysOwn = call.names.every(
    (name) => mcpNames({ ...UNNAMED, names: [name] }, [own.name]).length > 0,
  );
  if (!isAlwaysOwn || call.paths.length > 0 || call.hasDiff) return undefined;
  const { commands, paths, hosts, isUnclear } = namedArguments(
    mcpArguments(call.rawInput),
    workspace,
  );
  const isPlain = commands.length + paths.length + hosts.length === 0 && !isUnclear;
  return isPlain ? first.tool : undefined;
}

const UNNAMED = { title: '', rawInput: undefined };

/** Names that may be those of MCP tools, and commands in the text of the call. */
function possibleSubjects(call: ToolCall, hasCommand: boolean): Subject[] {
  const tools = possibleMcpNames(call).map((tool): Subject => ({ type: 'mcp', ...tool }));
  if (hasCommand || (call.kind !== 'execute' && call.kind !== 'other')) return tools;
  const texts = commandsIn(call.text).map((command): Subject => ({ type: 'shell', command }));
  return [...tools, ...texts];
}

const MAX_COMMANDS = 100;

/** Every line of a text, and the parts between backticks. */
function commandsIn(text: string): string[] {
  // The parts outside the backticks are included too; at worst, people are asked once more.
  const parts = text.split('`');
  const found = [...text.split('\n'), ...parts.flatMap((part) => part.split('\n'))];
  const lines = found.map((line) => line.replace(/^\s*(?:[$>#]\s+)?/, '').trim());
  return [...new Set(lines)].filter((line) => line !== '').slice(0, MAX_COMMANDS);
}

/** Whether a call of this kind is fully described by what it names. */
function isKnown(
  kind: ToolCall['kind'],
  named: Readonly<Record<'commands' | 'paths' | 'hosts', readonly Subject[]>>,
): boolean {
  switch (kind) {
    case 'read':
    case 'search':
    case 'edit':
      return named.paths.length > 0 || named.commands.length > 0;
    case 'execute':
      return named.commands.length > 0;
    case 'fetch':
      return named.hosts.length > 0;
    default:
      return false;
  }
}
