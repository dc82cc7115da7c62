import type { Subject } from '../tools/tool.js';
import type { ToolCall } from './tool-call.js';

export interface Touches {
  readonly kind: ToolCall['kind'];
  readonly subjects: readonly Subject[];
}

/**
 * What a call touches, as far as the program says it. A call of which that is not known counts as one
 * that could do anything: it is asked about.
 */
export function touchesOf(call: ToolCall): Touches {
  const { kind, tool } = call;
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  if (server !== undefined && name !== undefined) {
    return { kind: 'other', subjects: [{ type: 'mcp', server, tool: name }] };
  }
  const paths = call.paths.map((path): Subject => ({ type: 'path', path }));
  switch (kind) {
    case 'read':
    case 'search':
    case 'edit':
      return paths.length > 0 ? { kind, subjects: paths } : UNKNOWN;
    case 'execute': {
      const command = commandOf(call);
      if (command === undefined) return { kind, subjects: [{ type: 'none' }] };
      return { kind, subjects: [{ type: 'shell', command }] };
    }
    case 'fetch': {
      const host = hostOf(call.argument('url', 'uri'));
      return { kind, subjects: [host === undefined ? { type: 'none' } : { type: 'url', host }] };
    }
    default:
      return { kind: 'other', subjects: [...paths, { type: 'none' }] };
  }
}

const UNKNOWN: Touches = { kind: 'other', subjects: [{ type: 'none' }] };

function commandOf(call: ToolCall): string | undefined {
  const command = call.argument('command', 'cmd', 'script');
  if (typeof command === 'string') return command;
  if (!Array.isArray(command)) return undefined;
  const words = command.filter((word) => typeof word === 'string');
  return words.length === command.length ? words.map(quoted).join(' ') : undefined;
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

function hostOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return new URL(url).hostname || undefined;
}
