import {
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as agent from '@stoa/agent';
import type { Core } from '@stoa/core';
import { LIMITS, type Principal, StoaError } from '@stoa/protocol';
import { knownError } from '../http/problems.js';
import {
  type OfferedTool,
  readInput,
  schemaOf,
  type ToolAnswer,
  type WhenSent,
} from './offered-tool.js';
import { peopleTools } from './people-tools.js';
import { RunCalls } from './run-calls.js';
import { sessionTools } from './session-tools.js';
import { Words } from './words.js';

export interface McpPorts {
  readonly core: Core;
  readonly home: string;
  readonly version: string;
  /** Receives defects; must not throw. */
  readonly report: (error: unknown) => void;
}

const CALLER = 'stoa.caller';
const PROGRESS_MS = 10_000;

interface Caller {
  readonly by: Principal;
  /** Aborts when the call should end, with the reason. */
  readonly signal: AbortSignal;
  readonly whenSent: WhenSent;
}

/** Passes the proven caller to the handler, without the secret. */
export function proven(by: Principal, signal: AbortSignal, whenSent: WhenSent) {
  const caller: Caller = { by, signal, whenSent };
  return { token: '', clientId: '', scopes: [], extra: { [CALLER]: caller } };
}

/**
 * The protocol itself. Every message is served by a separate server for its sender, and nothing is kept in between:
 * there is no session to steal, to expire or to outlive its token. It supports the revisions with a handshake and
 * those without.
 */
export function createMcp(ports: McpPorts): McpHttpHandler {
  const { core, home } = ports;
  const calls = new RunCalls(core, agent, home);
  const { envelope, cutText } = agent;
  const words = new Words({ envelope, cutText, limitChars: LIMITS.toolOutputChars });
  const toolsOf = (by: Principal): OfferedTool[] => {
    if (by.kind === 'human') return peopleTools(core, by, words);
    if (by.kind === 'session') return sessionTools(core, agent, calls, by);
    throw new StoaError('forbidden', 'Only people and sessions have tools here');
  };
  return createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.extra?.[CALLER] as Caller;
      const tools = new Map(toolsOf(caller.by).map((tool) => [tool.name, tool]));
      return serverOf(tools, caller, ports);
    },
    {
      // The tools of a caller never change, so there is nothing to subscribe to.
      maxSubscriptions: 0,
      // A question to people may take long: a stream keeps the connection alive.
      responseMode: 'sse',
      onerror: (error) => {
        ports.report(error);
      },
    },
  );
}

function serverOf(
  tools: ReadonlyMap<string, OfferedTool>,
  { by, signal, whenSent }: Caller,
  { version, report }: McpPorts,
): McpServer {
  // Programs put both into the context of the model, so a session gets text only.
  const hasData = by.kind !== 'session';
  const made = new McpServer(
    { name: 'stoa', title: 'Stoa', version },
    { capabilities: { tools: {} }, instructions: agent.ENVELOPE_RULE },
  );
  // Replaces the library's own registry, which would answer invalid input with its own texts.
  const { server } = made;
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: schemaOf(tool) as { type: 'object' },
      annotations: { readOnlyHint: tool.isReading, openWorldHint: false },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const stop = tellProgress(mcpReq);
    try {
      const tool = tools.get(params.name);
      if (!tool) throw unknownTool(params.name, tools);
      const ends = AbortSignal.any([signal, mcpReq.signal]);
      return resultOf(await tool.call(readInput(tool, params.arguments), ends, whenSent), hasData);
    } catch (error) {
      return failureOf(error, report, hasData);
    } finally {
      stop();
    }
  });
  return made;
}

/** Clients give up on calls without progress; those that requested it get progress notifications. */
function tellProgress({ _meta, notify }: ServerContext['mcpReq']): () => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress };
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, PROGRESS_MS);
  return () => {
    clearInterval(timer);
  };
}

function resultOf({ text, data, isError = false }: ToolAnswer, hasData: boolean): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    ...(data === undefined || !hasData ? {} : { structuredContent: { ...data } }),
    ...(isError ? { isError } : {}),
  };
}

/** A refusal is a result, so that the model reads it. Its code is the first word, and in the data. */
function failureOf(
  error: unknown,
  report: (error: unknown) => void,
  hasData: boolean,
): CallToolResult {
  const known = knownError(error) ?? new StoaError('internal');
  if (known.code === 'internal') report(error);
  const problem = known.toProblem();
  return {
    content: [{ type: 'text', text: `${known.code}: ${known.message}` }],
    ...(hasData ? { structuredContent: { ...problem } } : {}),
    isError: true,
  };
}

function unknownTool(name: string, tools: ReadonlyMap<string, OfferedTool>): StoaError {
  const known = [...tools.keys()].join(', ');
  return new StoaError(
    'unknown_tool',
    `There is no tool ${name.slice(0, 100)}. There are: ${known}`,
  );
}
