import type { RunContext } from '@stoa/core';
import { stableJson } from '@stoa/core';
import type { McpServerConfig, McpServerHealth } from '@stoa/protocol';
import { orAborted } from '../pause.js';
import type { Sandbox } from '../tools/shell/sandbox.js';
import type { Tool } from '../tools/tool.js';
import { ServerConnection } from './server-connection.js';
import { serverTools } from './server-tools.js';

export interface McpServersOptions {
  readonly sandbox: Pick<Sandbox, 'launch'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly passedVariables?: readonly string[];
  readonly version: string;
  /** Told of what is worth a line in the log. Must not throw. */
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly times?: Partial<McpTimes>;
}

export interface McpTimes {
  /** How long a server may take to say what it offers. */
  readonly connectMs: number;
  /** How long a call may take without a sign of progress. */
  readonly callMs: number;
  readonly idleMs: number;
  readonly firstBackoffMs: number;
  readonly mostBackoffMs: number;
}

const TIMES: McpTimes = {
  connectMs: 15_000,
  callMs: 5 * 60_000,
  idleMs: 5 * 60_000,
  firstBackoffMs: 1_000,
  mostBackoffMs: 60_000,
};

interface Kept {
  readonly agentId: string;
  readonly name: string;
  readonly connection: ServerConnection;
}

/**
 * The MCP servers of agents. A connection is shared by the sessions of one agent that work for the
 * same person in the same place: what a server remembers of one person does not reach another.
 */
export class McpServers {
  readonly #kept = new Map<string, Kept>();
  /** What a run was offered once stays what it has: its model was told. */
  readonly #offered = new WeakMap<RunContext, Promise<readonly Tool[]>>();
  readonly #times: McpTimes;

  constructor(private readonly options: McpServersOptions) {
    this.#times = { ...TIMES, ...options.times };
  }

  /** The tools of a run's servers; those of a server that is offline are missing, which is noted. */
  toolsFor(run: RunContext): Promise<readonly Tool[]> {
    const known = this.#offered.get(run);
    if (known) return known;
    const offered = this.#offer(run);
    this.#offered.set(run, offered);
    return offered;
  }

  /** How the servers are that were used since the start; of several for one name the last used. */
  health(): McpServerHealth[] {
    const last = new Map<string, Kept>();
    for (const kept of this.#kept.values()) {
      const key = `${kept.agentId} ${kept.name}`;
      const other = last.get(key);
      if (!other || other.connection.usedAt <= kept.connection.usedAt) last.set(key, kept);
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
    await Promise.all([...this.#kept.values()].map(({ connection }) => connection.close()));
    this.#kept.clear();
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
    const known = this.#kept.get(key);
    if (known) return known.connection;
    const { connectMs, callMs, idleMs, firstBackoffMs, mostBackoffMs } = this.#times;
    const { sandbox, environment, passedVariables = [], version, diagnose } = this.options;
    const connection = new ServerConnection({
      config,
      cwd: workspace,
      sandbox,
      environment,
      passedVariables,
      version,
      timeoutMs: connectMs,
      callMs,
      idleMs,
      backoffMs: { first: firstBackoffMs, most: mostBackoffMs },
      offline: (reason) => {
        diagnose('an MCP server is offline', { agentId, server: name, reason });
      },
    });
    this.#forgetUnused();
    this.#kept.set(key, { agentId, name, connection });
    return connection;
  }

  /** Idle ones cost nothing but their entry; only so many of those are kept. */
  #forgetUnused(): void {
    if (this.#kept.size < MOST_KEPT) return;
    for (const [key, { connection }] of this.#kept) {
      if (connection.state === 'idle') this.#kept.delete(key);
    }
  }
}

const MOST_KEPT = 1_000;
