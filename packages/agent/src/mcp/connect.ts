import type { Client, Tool as McpTool, Transport } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '@stoa/protocol';
import { childEnvironment } from '../tools/shell/child-environment.js';
import type { Sandbox } from '../tools/shell/sandbox.js';
import { ChildTransport } from './child-transport.js';
import { expandVariables } from './expand-variables.js';

export interface ConnectOptions {
  readonly config: McpServerConfig;
  /** The working directory of a server that is a program. */
  readonly cwd: string;
  readonly sandbox: Pick<Sandbox, 'launch'>;
  /** The daemon's environment, which values of the configuration may name. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further variables that programs get. */
  readonly passedVariables?: readonly string[];
  readonly version: string;
  readonly connectMs: number;
  /** Aborts when the connection is no longer needed. */
  readonly signal: AbortSignal;
  /** Removes the values that the server received from messages about it. */
  readonly scrub: (text: string) => string;
  /** Called with the reason when the connection is lost. */
  readonly lost: (reason: string) => void;
  /** Called when the server offers other tools. */
  readonly changed: (tools: readonly McpTool[]) => void;
}

export interface Connected {
  readonly client: Client;
  readonly tools: readonly McpTool[];
  close(): Promise<void>;
}

const END_MS = 1_000;

type Library = typeof import('@modelcontextprotocol/client');

/** Connects and lists the tools. Cleans up if it throws. */
export async function connect(options: ConnectOptions): Promise<Connected> {
  const library = await import('@modelcontextprotocol/client');
  try {
    return await attempt(library, options, 'legacy');
  } catch (error) {
    if (!isRefusal(library, error)) throw error;
    return attempt(library, options, 'auto');
  }
}

/** Whether the server refused the handshake: it may speak only the protocol revision without one. */
function isRefusal({ ProtocolError, SdkHttpError }: Library, error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkHttpError && error.status === 400);
}

async function attempt(
  library: Library,
  options: ConnectOptions,
  mode: 'legacy' | 'auto',
): Promise<Connected> {
  const { connectMs: timeout, lost, changed, version, signal } = options;
  const transport = await transportOf(library, options);
  const client = new library.Client(
    { name: 'stoa', version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: timeout } },
      // A server cannot ask people questions through an agent.
      inputRequired: { autoFulfill: false },
      listChanged: {
        tools: {
          onChanged: (_, tools) => {
            if (tools) changed(tools);
          },
        },
      },
    },
  );
  try {
    await client.connect(transport, { timeout, signal });
    const { tools } = client.getServerCapabilities()?.tools
      ? await client.listTools(undefined, { timeout, signal })
      : { tools: [] };
    client.onclose = () => {
      lost(endingOf(transport) ?? 'it closed the connection');
    };
    return {
      client,
      tools,
      async close() {
        client.onclose = () => undefined;
        await endSession(transport);
        await client.close().catch(() => undefined);
        await transport.close().catch(() => undefined);
      },
    };
  } catch (error) {
    // Read before the server is closed: its own exit is the reason.
    const ending = endingOf(transport);
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw ending === undefined ? error : new Error(ending);
  }
}

/** Ends the session on a server that keeps one, if it answers in time. */
async function endSession(transport: Transport): Promise<void> {
  if (transport.sessionId === undefined || !('terminateSession' in transport)) return;
  const http = transport as Transport & { terminateSession(): Promise<void> };
  const ended = http.terminateSession().catch(() => undefined);
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
}

async function transportOf(library: Library, options: ConnectOptions): Promise<Transport> {
  const { config, environment, cwd, sandbox, passedVariables, scrub } = options;
  if ('url' in config) {
    const headers = expandVariables(config.headers ?? {}, environment);
    const url = new URL(config.url);
    return new library.StreamableHTTPClientTransport(url, { requestInit: { headers } });
  }
  const own = expandVariables(config.env ?? {}, environment);
  const launch = await sandbox.launch([config.command, ...(config.args ?? [])], {
    environment: { ...childEnvironment(environment, passedVariables), ...own },
    workspace: cwd,
    temporary: { type: 'memory' },
  });
  return new ChildTransport({
    argv: launch.argv,
    cwd,
    environment: launch.environment,
    serialize: library.serializeMessage,
    buffer: new library.ReadBuffer(),
    scrub,
  });
}

const endingOf = (transport: Transport): string | undefined =>
  transport instanceof ChildTransport ? transport.ending : undefined;
