import { type Diagnose, type RunContext, stableJson } from '@stoa/core';
import type { McpServerConfig, McpServerHealth } from '@stoa/protocol';
import { orAborted } from '../pause.js';
import type { Sandbox } from '../tools/shell/sandbox.js';
import type { Tool } from '../tools/tool.js';
import { MCP_TIMES, type McpTimes, ServerConnection } from './server-connection.js';
import { serverTools } from './server-tools.js';

export interface McpServersOptions {
  readonly sandbox: Pick<Sandbox, 'launch'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly passedVariables?: readonly string[];
  readonly version: string;
  /** Writes a line to the log. Must not throw. */
  readonly diagnose: Diagnose;
  readonly times?: Partial<McpTimes>;
}

interface KnownServer {
  readonly agentId: string;
  readonly name: string;
  readonly connection: ServerConnection;
}

/**
 * The MCP servers of agents. The sessions of an agent share a connection if they work for the same person in the same
 * workspace: what a server remembers about one person does not reach another.
 */
export class McpServers {
  readonly #servers = new Map<string, KnownServer>();
  /** The tools of a run do not change, because its model already knows them. */
  readonly #offered = new WeakMap<RunContext, Promise<readonly Tool[]>>();
  readonly #times: McpTimes;

  constructor(private readonly options: McpServersOptions) {
    this.#times = { ...MCP_TIMES, ...options.times };
  }

  /** The tools of a run's servers. If a server is offline, a note in the journal says so. */
  toolsFor(run: RunContext): Promise<readonly Tool[]> {
    const known = this.#offered.get(run);
    if (known) return known;
    const offered = this.#offer(run);
    this.#offered.set(run, offered);
    return offered;
  }

  /** The state of the servers that were used since the start; the last used one of each name. */
  health(): McpServerHealth[] {
    const last = new Map<string, KnownServer>();
    for (const server of this.#servers.values()) {
      const key = `${server.agentId} ${server.name}`;
      const other = last.get(key);
      if (!other || other.connection.usedAt <= server.connection.usedAt) last.set(key, server);
    }
    return [...last.values()].map(({ agentId, name, connection }) => {
      const { state, reason, tools } = connection;
      return {
        agentId,
        name,
        state,
        ...(state === 'offline' && reason !== undefined ? { reason } : {}),
        tools: tools.map((tool) => tool.name),
      };
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(({ connection }) => connection.close()));
    this.#servers.clear();
  }

  async #offer(run: RunContext): Promise<readonly Tool[]> {
    const servers = Object.entries(run.session.persona.definition.mcpServers ?? {});
    const offered = await Promise.all(
      servers.map(([name, config]) => this.#offerServer(run, name, config)),
    );
    return offered.flat();
  }

  async #offerServer(run: RunContext, name: string, config: McpServerConfig): Promise<Tool[]> {
    const connection = this.#connection(run, name, config);
    await orAborted(connection.ready(), run.signal);
    if (connection.state === 'online') {
      const { tools } = connection;
      const offered = await serverTools({
        name,
        tools,
        call: (tool, input, signal) => connection.call(tool, input, signal),
      });
      if (offered.length < tools.length) {
        const missing = String(tools.length - offered.length);
        const text = `${missing} tools of the MCP server ${name} are left out: there are too many, or one is too large.`;
        await run.journal.note('mcp_tools_left_out', text);
      }
      return offered;
    }
    const why = connection.reason ?? 'it is being closed';
    await run.journal.note(
      'mcp_offline',
      `The MCP server ${name} is offline: ${why}. Its tools are missing in this run.`,
    );
    return [];
  }

  #connection({ session }: RunContext, name: string, config: McpServerConfig): ServerConnection {
    const { agentId, responsibleId, workspace } = session;
    const key = stableJson([agentId, responsibleId, workspace, name, config]);
    const known = this.#servers.get(key);
    if (known) return known.connection;
    const connection = new ServerConnection({
      ...this.options,
      ...this.#times,
      config,
      cwd: workspace,
      offline: (reason) => {
        this.options.diagnose('an MCP server is offline', { agentId, server: name, reason });
      },
    });
    this.#forgetUnused();
    this.#servers.set(key, { agentId, name, connection });
    return connection;
  }

  /** Removes idle servers when there are too many. */
  #forgetUnused(): void {
    if (this.#servers.size < MAX_SERVERS) return;
    for (const [key, { connection }] of this.#servers) {
      if (connection.state === 'idle') this.#servers.delete(key);
    }
  }
}

const MAX_SERVERS = 1_000;
