import { LIMITS, type Principal, StoaError } from '@stoa/protocol';
import { presentedIn } from '../http/credentials-of.js';
import type { SpecialHandler } from '../http/server.js';
import { OpenCalls } from './open-calls.js';
import type { McpPorts } from './serve-mcp.js';
import { sendWebResponse, toWebRequest } from './web-exchange.js';

export interface McpEndpoint {
  readonly handle: SpecialHandler;
  /** Ends open calls and refuses new ones. */
  close(): void;
}

/** `/mcp`. The first request loads the library. */
export function createMcpEndpoint(ports: McpPorts): McpEndpoint {
  const { core } = ports;
  const calls = new OpenCalls(LIMITS.mcpCalls, LIMITS.mcpCallsPerCaller);
  let loaded: Promise<Served> | undefined;
  return {
    async handle(request, reply) {
      const by = request.principal as Principal;
      // For programs with a token; a page does not need it.
      const { authorization } = request.headers;
      if (authorization === undefined)
        throw new StoaError('unauthenticated', 'Send a Bearer token');
      const { id, cancels } = look(request.body);
      if (cancels !== undefined) calls.cancel(by, cancels);
      const call = calls.open(by, id);
      const unwatch = core.sessionTokens.watch(presentedIn(request.headers)?.secret ?? '', () => {
        call.end(new StoaError('unauthenticated', 'The token was revoked'));
      });
      const gone = new AbortController();
      reply.raw.once('close', () => {
        gone.abort();
        call.end();
      });
      try {
        loaded ??= load(ports);
        const { mcp, proven } = await loaded;
        const response = await mcp.fetch(toWebRequest(request, gone.signal), {
          authInfo: proven(by, call.signal, (sent, lost) => {
            reply.raw.once('finish', () => {
              sent();
              call.wasSent(lost);
            });
          }),
          ...(request.body === undefined ? {} : { parsedBody: request.body }),
        });
        return await sendWebResponse(response, reply, gone.signal);
      } finally {
        unwatch();
        call.end();
      }
    },
    close() {
      calls.close();
    },
  };
}

async function load(ports: McpPorts) {
  const { createMcp, proven } = await import('./serve-mcp.js');
  return { mcp: createMcp(ports), proven };
}

type Served = Awaited<ReturnType<typeof load>>;

/** What the endpoint needs of a message; the library validates it. */
function look(body: unknown): { readonly id?: unknown; readonly cancels?: unknown } {
  if (Array.isArray(body)) {
    if (body.length <= LIMITS.mcpBatch) return {};
    const limit = String(LIMITS.mcpBatch);
    throw new StoaError('invalid_request', `A batch has at most ${limit} messages`);
  }
  const { id, method, params } = (body ?? {}) as {
    id?: unknown;
    method?: unknown;
    params?: { requestId?: unknown } | null;
  };
  return method === 'notifications/cancelled' ? { cancels: params?.requestId } : { id };
}
