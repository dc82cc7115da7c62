import type { JsonValue } from '../json-value.js';

/** A tool of an MCP server. */
export interface McpName {
  readonly server: string;
  readonly tool: string;
}

/** How a program describes the tool of a call. */
export interface NamedCall {
  /** All names that it gives the tool. */
  readonly names: readonly string[];
  readonly title: string;
  readonly rawInput: JsonValue | undefined;
}

/**
 * The MCP tools that a call may refer to, in every form that programs report: `mcp__server__tool`,
 * `mcp.server.tool`, `tool (server MCP Server)`, fields `server` and `tool` beside the arguments, and
 * `server-tool` or `server_tool` for known servers. If a name can be split in several ways, each of them counts. The
 * title counts only if the program gives no name.
 */
export function mcpNames(call: NamedCall, servers: readonly string[]): McpName[] {
  const fields = fieldsOf(call.rawInput);
  const written = [...call.names, ...(call.names.length === 0 ? [call.title] : [])];
  const found = [
    ...(fields ? [fields] : []),
    ...written.flatMap((name) => [...marked(name), ...prefixed(name, servers)]),
  ];
  return distinct(found);
}

/** Other possible meanings of a name, which deny and ask rules match too. */
export function possibleMcpNames({ names, title }: NamedCall): McpName[] {
  const written = names.length === 0 ? [title] : names;
  return distinct(
    written.flatMap((name) =>
      name.length <= MAX_CHARS && /^[\w.:/-]+$/.test(name) ? splitAt(name, /[-_.:/]+/g) : [],
    ),
  );
}

/** The arguments of the tool, also if the program reports server, tool and arguments together. */
export function mcpArguments(rawInput: JsonValue | undefined): JsonValue | undefined {
  if (!fieldsOf(rawInput)) return rawInput;
  const { arguments: given, args, input } = rawInput as Record<string, JsonValue | undefined>;
  return given ?? args ?? input;
}

const MAX_CHARS = 200;

function marked(name: string): McpName[] {
  const [, joined] = /^mcp__(.+)$/s.exec(name) ?? [];
  if (joined !== undefined) return splitAt(joined, /__/g);
  const [, dotted] = /^mcp\.(.+)$/s.exec(name) ?? [];
  if (dotted !== undefined) return splitAt(dotted, /\./g);
  const [, tool, server] = /^(\S+) \((.+) MCP Server\)$/s.exec(name) ?? [];
  return tool === undefined || server === undefined ? [] : [{ server, tool }];
}

function prefixed(name: string, servers: readonly string[]): McpName[] {
  return servers.flatMap((server) => {
    if (!name.startsWith(server)) return [];
    const rest = name.slice(server.length);
    const tool = rest.replace(/^[-_.:/ ]+/, '');
    const isTool = tool !== '' && tool !== rest && !/\s/.test(tool);
    return isTool ? [{ server, tool }] : [];
  });
}

/** Splits at overlapping separators too: `a___b` is `a` and `_b`, or `a_` and `b`. */
function splitAt(name: string, separator: RegExp): McpName[] {
  const names: McpName[] = [];
  for (let at = 1; at < name.length; at++) {
    separator.lastIndex = at;
    const match = separator.exec(name);
    if (!match) break;
    at = match.index;
    const [server, tool] = [name.slice(0, at), name.slice(at + match[0].length)];
    if (server !== '' && tool !== '') names.push({ server, tool });
  }
  return names;
}

function fieldsOf(rawInput: JsonValue | undefined): McpName | undefined {
  if (typeof rawInput !== 'object' || rawInput === null || Array.isArray(rawInput))
    return undefined;
  const { server, tool, serverName, toolName, server_name, tool_name } = rawInput as Record<
    string,
    JsonValue | undefined
  >;
  const [ofServer, ofTool] = [server ?? serverName ?? server_name, tool ?? toolName ?? tool_name];
  if (typeof ofServer !== 'string' || typeof ofTool !== 'string') return undefined;
  return ofServer === '' || ofTool === '' ? undefined : { server: ofServer, tool: ofTool };
}

function distinct(names: readonly McpName[]): McpName[] {
  const seen = new Map(names.map((name) => [`${name.server}\0${name.tool}`, name]));
  return [...seen.values()];
}
