import type { Client, Tool as McpTool, Transport } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '@stoa/protocol';
import { childEnvironment } from '../tools/shell/child-environment.js';
import type { Sandbox } from '../tools/shell/sandbox.js';
import { ChildTransport } from './child-transport.js';
import { expandVariables } from './expand-variables.js';

export interface ConnectOptions {
  readonly config: McpServerConfig;
  /** Where a server that is a program is started. */
  readonly cwd: string;
  readonly sandbox: Pick<Sandbox, 'launch'>;
  /** The daemon's own: what values name is taken from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that programs get besides the usual ones. */
  readonly passedVariables: readonly string[];
  readonly version: string;
  readonly timeoutMs: number;
  /** Aborts when nobody wants the connection any more. */
  readonly signal: AbortSignal;
  /** Takes out of what is said about it what it was given. */
  readonly scrub: (text: string) => string;
  /** The server is gone, and why. */
  readonly gone: (reason: string) => void;
  /** It offers other tools now. */
  readonly changed: (tools: readonly McpTool[]) => void;
}

export interface Connected {
  readonly client: Client;
  readonly tools: readonly McpTool[];
  close(): Promise<void>;
}

const END_MS = 1_000;

type Library = typeof import('@modelcontextprotocol/client');

/** Connects and asks for the tools. Throws with a reason in words; then nothing of it is left. */
export async function connect(options: ConnectOptions): Promise<Connected> {
  const library = await import('@modelcontextprotocol/client');
  try {
    return await attempt(library, options, 'legacy');
  } catch (error) {
    if (!isRefusal(library, error)) throw error;
    return attempt(library, options, 'auto');
  }
}

/** It refused the handshake: it may speak only the revision of the protocol that has none. */
function isRefusal({ ProtocolError, SdkHttpError }: Library, error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkHttpError && error.status === 400);
}

async function attempt(
  library: Library,
  options: ConnectOptions,
  mode: 'legacy' | 'auto',
): Promise<Connected> {
  const { timeoutMs: timeout, gone, changed, version, signal } = options;
  const transport = await transportOf(library, options);
  const client = new library.Client(
    { name: 'stoa', version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: timeout } },
      // A server asks nobody anything through an agent.
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
      gone(endingOf(transport) ?? 'it closed the connection');
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
    // Before it is ended: how it did by itself is the reason.
    const ending = endingOf(transport);
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw ending === undefined ? error : new Error(ending);
  }
}

/** A server that keeps a session for us is told that it can forget it; if it listens. */
async function endSession(transport: Transport): Promise<void> {
  if (transport.sessionId === undefined || !('terminateSession' in transport)) return;
  const kept = transport as Transport & { terminateSession(): Promise<void> };
  const told = kept.terminateSession().catch(() => undefined);
  await Promise.race([told, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
}

async function transportOf(library: Library, options: ConnectOptions): Promise<Transport> {
  const { config, environment, cwd, sandbox, passedVariables, scrub } = options;
  if ('url' in config) {
    const headers = expandVariables(config.headers ?? {}, environment);
    const url = new URL(config.url);
    return new library.StreamableHTTPClientTransport(url, {
      requestInit: { headers },
    });
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
