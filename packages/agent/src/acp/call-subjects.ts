import type { Subject } from '../tools/tool.js';
import { commandText, namedArguments } from './named-arguments.js';
import type { ToolCall } from './tool-call.js';

export interface Touches {
  readonly kind: ToolCall['kind'];
  readonly subjects: readonly Subject[];
}

/**
 * What a call touches, as far as the program says it: all that it names, whatever kind it is said to be
 * of. A call of which that is not known counts as one that could do anything: it is asked about.
 */
export function touchesOf(call: ToolCall, workspace: string): Touches {
  const { kind } = call;
  const tools = call.names.flatMap(mcpTools);
  if (tools.length > 0) return { kind: 'other', subjects: tools };
  const named = namedArguments(call.rawInput, workspace);
  const commands = named.commands.map((command): Subject => ({ type: 'shell', command }));
  const hosts = named.hosts.map((host): Subject => ({ type: 'url', host }));
  // What a command works on stands in the command, and is decided about with it.
  const isRun = kind === 'execute';
  const given = isRun ? [] : [...new Set([...named.paths, ...call.paths])];
  const paths = given.map((path): Subject => ({ type: 'path', path }));
  const subjects = [...commands, ...paths, ...hosts];
  if (!named.isUnclear && isKnown(kind, { commands, paths, hosts })) return { kind, subjects };
  // Some programs say their command only in words for people.
  const said = isRun && commands.length === 0 ? commandText(call.title) : undefined;
  if (said !== undefined) subjects.push({ type: 'shell', command: said });
  return { kind: isRun ? kind : 'other', subjects: [...subjects, { type: 'none' }] };
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

/**
 * The tools that a name can mean: where it has several places to divide it, server and tool are not
 * told apart by it, and a server must not be taken for another whose name begins like its own.
 */
function mcpTools(name: string): Subject[] {
  const [, rest = ''] = /^mcp__(.+)$/s.exec(name) ?? [];
  const tools: Subject[] = [];
  for (let at = rest.indexOf('__', 1); at > 0; at = rest.indexOf('__', at + 1)) {
    const [server, tool] = [rest.slice(0, at), rest.slice(at + 2)];
    if (tool !== '') tools.push({ type: 'mcp', server, tool });
  }
  return tools;
}
