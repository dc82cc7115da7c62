import type { Subject } from '../tools/tool.js';
import { type McpName, mcpArguments, mcpNames, possibleMcpNames } from './mcp-names.js';
import { commandText, namedArguments } from './named-arguments.js';
import { OWN_SERVER, type OwnServer } from './own-server.js';
import type { ToolCall } from './tool-call.js';

export interface Touches {
  readonly kind: ToolCall['kind'];
  /** Each of them is decided about, and the strictest answer counts. */
  readonly subjects: readonly Subject[];
  /** What else it could mean: deny and ask rules are matched against these too. */
  readonly possible: readonly Subject[];
  /** The tool of Stoa's own server that it is; nothing else passes under that name. */
  readonly ownTool?: string;
}

/** The MCP servers that a session of a program was given. */
export interface KnownServers {
  readonly own: OwnServer | undefined;
  readonly names: readonly string[];
}

/**
 * What a call touches, as far as the program says it: all that it names, whatever kind it is said to be
 * of. A call of which that is not known counts as one that could do anything: it is asked about.
 */
export function touchesOf(call: ToolCall, workspace: string, servers: KnownServers): Touches {
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
    // A tool of a server takes what it likes for arguments, but a command is a command.
    return { kind: 'other', subjects: [...ofTools, ...commands], possible };
  }
  const hosts = named.hosts.map((host): Subject => ({ type: 'url', host }));
  // What a command works on stands in the command, and is decided about with it.
  const isRun = kind === 'execute';
  const given = isRun ? [] : [...new Set([...named.paths, ...call.paths])];
  const paths = given.map((path): Subject => ({ type: 'path', path }));
  const subjects = [...commands, ...paths, ...hosts];
  if (!named.isUnclear && isKnown(kind, { commands, paths, hosts })) {
    return { kind, subjects, possible };
  }
  // Some programs say their command only in words for people.
  const said = isRun && commands.length === 0 ? commandText(call.title) : undefined;
  if (said !== undefined) subjects.push({ type: 'shell', command: said });
  return { kind: isRun ? kind : 'other', subjects: [...subjects, { type: 'none' }], possible };
}

/**
 * The tool of Stoa's own server that a call is: the program says so and nothing else, the server offers
 * the tool to this session, and no command, path or host is among its arguments.
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

/** Names that could be those of MCP tools, and commands that stand in a text for people. */
function possibleSubjects(call: ToolCall, hasCommand: boolean): Subject[] {
  const tools = possibleMcpNames(call).map((tool): Subject => ({ type: 'mcp', ...tool }));
  if (hasCommand || (call.kind !== 'execute' && call.kind !== 'other')) return tools;
  const texts = commandsIn(call.text).map((command): Subject => ({ type: 'shell', command }));
  return [...tools, ...texts];
}

const MOST_COMMANDS = 100;

/** Every line of a text, and the parts between backticks. */
function commandsIn(text: string): string[] {
  // Every second part, when a text is divided at its backticks; and the others, which costs a question at most.
  const quoted = text.split('`');
  const found = [...text.split('\n'), ...quoted.flatMap((part) => part.split('\n'))];
  const lines = found.map((line) => line.replace(/^\s*(?:[$>#]\s+)?/, '').trim());
  return [...new Set(lines)].filter((line) => line !== '').slice(0, MOST_COMMANDS);
}

/** Whether what is named is what such a call is about. */
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
