import {
  type Agent,
  AgentDefinition,
  actorIdOf,
  LIMITS,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import {
  type AgentRow,
  countAgents,
  deleteAgent,
  deleteNickname,
  findAgent,
  listAgents,
  listNicknames,
  putAgent,
  putNickname,
  type Store,
} from '@stoa/store';
import type { Clock } from '../ports.js';
import type { ReadyAgent } from '../sessions/context.js';

/** A definition that was found in a file, or what is wrong with it. */
export type AgentFile = {
  readonly agentId: string;
  readonly path: string;
  /** It comes with what somebody else made: any other definition of its id goes before it. */
  readonly givesWay?: boolean;
} & ({ readonly definition: AgentDefinition } | { readonly problem: string });

/** Reads definitions from directories; a broken file is told as such, never thrown. */
export interface AgentFiles {
  /** Those of the daemon, and those of a workspace, which go first. */
  list(workspace?: string): Promise<readonly AgentFile[]>;
}

export interface AgentsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly files: AgentFiles;
  /** Agents that come with Stoa. */
  readonly builtin: () => Promise<Readonly<Record<string, AgentDefinition>>>;
}

/**
 * Definitions of agents. One id has one definition: that of a file goes before one made over the API,
 * which goes before one that comes with Stoa. A broken one disables that id and nothing else. What is
 * not trusted only adds to them: it replaces nothing, and so takes away no rule that the owner made.
 */
export class Agents {
  constructor(private readonly ports: AgentsPorts) {}

  async list(workspace?: string): Promise<Agent[]> {
    const { store, builtin } = this.ports;
    const [shipped, found, { rows, nicknames }] = await Promise.all([
      builtin(),
      this.ports.files.list(workspace),
      store.read(function* () {
        return { rows: yield* listAgents.all({}), nicknames: yield* listNicknames.all({}) };
      }),
    ]);
    const nicknameOf = new Map(nicknames.map(({ agentId, nickname }) => [agentId, nickname]));
    const agents = new Map<string, Omit<Agent, 'name' | 'nickname'>>();
    const files = [...found].reverse();
    for (const file of files) if (file.givesWay) agents.set(file.agentId, fileAgent(file));
    for (const [agentId, definition] of Object.entries(shipped)) {
      agents.set(agentId, { agentId, source: 'builtin', status: 'ready', definition });
    }
    for (const row of rows) agents.set(row.agentId, storedAgent(row));
    for (const file of files) if (!file.givesWay) agents.set(file.agentId, fileAgent(file));
    return [...agents.values()]
      .sort((a, b) => (a.agentId < b.agentId ? -1 : 1))
      .map((agent) => named(agent, nicknameOf.get(agent.agentId)));
  }

  async get(agentId: string, workspace?: string): Promise<Agent> {
    const agent = (await this.list(workspace)).find((known) => known.agentId === agentId);
    if (!agent) throw new StoaError('agent_not_found', `There is no agent ${agentId}`);
    return agent;
  }

  /** For a session that is to be made. */
  async ready(agentId: string, workspace: string): Promise<ReadyAgent> {
    const agents = await this.list(workspace);
    const agent = agents.find((known) => known.agentId === agentId);
    if (!agent) {
      const known = agents.filter(({ status }) => status === 'ready').map((one) => one.agentId);
      throw new StoaError(
        'unknown_agent',
        `There is no agent ${agentId}; there are ${known.join(', ')}`,
      );
    }
    if (!agent.definition) {
      throw new StoaError('agent_broken', `${agent.path ?? agentId}: ${agent.problem ?? 'broken'}`);
    }
    return { agentId, source: agent.source, definition: agent.definition };
  }

  async put(by: Principal, agentId: string, definition: AgentDefinition): Promise<Agent> {
    await this.#assertNotInFile(agentId);
    const { store, clock } = this.ports;
    const row: AgentRow = {
      agentId,
      definition: JSON.stringify(definition),
      createdBy: actorIdOf(by),
      updatedAt: clock.now(),
    };
    await store.transact(function* () {
      const known = yield* findAgent.first({ agentId });
      const count = (yield* countAgents.first({}))?.count ?? 0;
      if (!known && count >= LIMITS.agents) {
        throw new StoaError('limit_reached', `At most ${String(LIMITS.agents)} agents`);
      }
      yield* putAgent.run(row);
    });
    return this.get(agentId);
  }

  async delete(agentId: string): Promise<void> {
    await this.#assertNotInFile(agentId);
    const deleted = await this.ports.store.transact(() => deleteAgent.run({ agentId }));
    if (deleted === 0) {
      throw new StoaError('agent_not_found', `There is no agent ${agentId} that was made here`);
    }
  }

  /** Shown everywhere that follows it, from now on; `null` clears it. */
  async setNickname(agentId: string, nickname: string | null): Promise<Agent> {
    await this.get(agentId);
    await this.ports.store.transact(() =>
      nickname === null ? deleteNickname.run({ agentId }) : putNickname.run({ agentId, nickname }),
    );
    return this.get(agentId);
  }

  async #assertNotInFile(agentId: string): Promise<void> {
    const file = (await this.ports.files.list()).find((known) => known.agentId === agentId);
    if (file) throw new StoaError('agent_in_file', `${agentId} is defined in ${file.path}`);
  }
}

function named(agent: Omit<Agent, 'name' | 'nickname'>, nickname: string | undefined): Agent {
  const name = nickname ?? agent.definition?.displayName ?? agent.agentId;
  return { ...agent, name, ...(nickname === undefined ? {} : { nickname }) };
}

/** One that an older Stoa stored may not be valid any more. */
function storedAgent({ agentId, definition, updatedAt }: AgentRow): Omit<Agent, 'name'> {
  const parsed = AgentDefinition.safeParse(JSON.parse(definition));
  if (parsed.success) {
    return { agentId, source: 'api', status: 'ready', definition: parsed.data, updatedAt };
  }
  const problem = parsed.error.issues[0]?.message ?? 'not valid';
  return { agentId, source: 'api', status: 'broken', problem, updatedAt };
}

function fileAgent(file: AgentFile): Omit<Agent, 'name'> {
  const { agentId, path } = file;
  return 'definition' in file
    ? { agentId, path, source: 'file', status: 'ready', definition: file.definition }
    : { agentId, path, source: 'file', status: 'broken', problem: file.problem };
}
