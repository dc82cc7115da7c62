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
  insertAgent,
  listAgents,
  listNicknames,
  putAgent,
  putNickname,
  type Store,
} from '@stoa/store';
import { decodeValue } from '../kernel/codec.js';
import { problemsOf } from '../permissions/rules.js';
import type { Clock } from '../ports.js';
import { isSameDefinition } from './outdated.js';
import { agentFor } from './withheld-values.js';
import { type ReadyAgent, type Workspaces, workspaceToUse } from './workspaces.js';

/** A definition from a file, or the problem with it. */
export type AgentFile = {
  readonly agentId: string;
  readonly path: string;
  /** It is not trusted: any other definition of its id takes precedence. */
  readonly isUntrusted?: boolean;
} & ({ readonly definition: AgentDefinition } | { readonly problem: string });

/** Reads definitions from directories. A broken file is returned with its problem. */
export interface AgentFiles {
  /** The definitions of a workspace, and then those of the daemon. The first of an id counts. */
  list(workspace?: string): Promise<readonly AgentFile[]>;
}

/** If the workspace is known, files that the definition names are checked too. */
export type DefinitionCheck = (
  definition: AgentDefinition,
  workspace?: string,
) => Promise<StoaError | undefined>;

export interface AgentsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly files: AgentFiles;
  readonly workspaces: Workspaces;
  /** Why an agent of this definition cannot work here, as far as it can be checked. */
  readonly problemOf: DefinitionCheck;
  /** What a valid definition needs and this machine lacks. */
  readonly lackOf: (definition: AgentDefinition) => Promise<string | undefined>;
  /** Called after a definition replaced another one, or none. Never rejects. */
  readonly replaced: (agentId: string, before: AgentDefinition | undefined) => Promise<void>;
  /** Agents that come with Stoa. */
  readonly builtin: () => Promise<Readonly<Record<string, AgentDefinition>>>;
}

/**
 * Definitions of agents. One id has one definition: a file takes precedence over the API, and the API over Stoa's own. A
 * broken definition disables only its id. Untrusted definitions replace no other, so they cannot remove rules of the
 * owner.
 */
export class Agents {
  constructor(private readonly ports: AgentsPorts) {}

  async list(workspace?: string): Promise<Agent[]> {
    const agents = await this.#read(workspace);
    return Promise.all(agents.map((agent) => this.#checked(agent, workspace)));
  }

  /** The definitions without any check. */
  async #read(workspace?: string): Promise<Agent[]> {
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
    for (const file of files) if (file.isUntrusted) agents.set(file.agentId, fileAgent(file));
    for (const [agentId, definition] of Object.entries(shipped)) {
      agents.set(agentId, { agentId, source: 'builtin', status: 'ready', definition });
    }
    for (const row of rows) agents.set(row.agentId, storedAgent(row));
    for (const file of files) if (!file.isUntrusted) agents.set(file.agentId, fileAgent(file));
    return [...agents.values()]
      .sort((a, b) => (a.agentId < b.agentId ? -1 : 1))
      .map((agent) => named(agent, nicknameOf.get(agent.agentId)));
  }

  /** What a caller may see; with a workspace, the caller must be allowed to work in it. */
  async listFor(by: Principal, workspace?: string): Promise<Agent[]> {
    const agents = await this.list(await this.#workspaceFor(by, workspace));
    return agents.map((agent) => agentFor(by, agent));
  }

  async getFor(by: Principal, agentId: string, workspace?: string): Promise<Agent> {
    return agentFor(by, await this.get(agentId, await this.#workspaceFor(by, workspace)));
  }

  async get(agentId: string, workspace?: string): Promise<Agent> {
    const agent = await this.#find(agentId, workspace);
    if (!agent) throw new StoaError('agent_not_found', `There is no agent ${agentId}`);
    return agent;
  }

  /** An agent for a new session. */
  async ready(agentId: string, workspace: string): Promise<ReadyAgent> {
    const agent = await this.#find(agentId, workspace);
    if (!agent) {
      const agents = await this.list(workspace);
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

  /** With `refuse`, an existing agent is not replaced. Repeating the same definition succeeds, so a lost call can be repeated. */
  async put(
    by: Principal,
    agentId: string,
    definition: AgentDefinition,
    { existing = 'replace' }: { readonly existing?: 'replace' | 'refuse' } = {},
  ): Promise<Agent> {
    await this.#assertNotInFile(agentId);
    const { store, clock, builtin, replaced } = this.ports;
    const isTaken = (): StoaError =>
      new StoaError('agent_exists', `There is already an agent ${agentId}`);
    if (existing === 'refuse' && Object.hasOwn(await builtin(), agentId)) throw isTaken();
    const problem = await this.#problemOf(definition);
    if (problem) throw problem;
    const before = (await this.#read()).find((known) => known.agentId === agentId)?.definition;
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
      if (existing === 'replace') {
        yield* putAgent.run(row);
        return;
      }
      if ((yield* insertAgent.changes(row)) > 0) return;
      const there = yield* findAgent.first({ agentId });
      if (there?.definition !== row.definition) throw isTaken();
    });
    if (!before || !isSameDefinition(before, definition)) await replaced(agentId, before);
    return this.get(agentId);
  }

  async delete(agentId: string): Promise<void> {
    await this.#assertNotInFile(agentId);
    const deleted = await this.ports.store.transact(() => deleteAgent.changes({ agentId }));
    if (deleted === 0) {
      throw new StoaError(
        'agent_not_found',
        `There is no agent ${agentId} that was created over the API`,
      );
    }
  }

  /** Sets the nickname of an agent; `null` clears it. */
  async setNickname(agentId: string, nickname: string | null): Promise<Agent> {
    await this.get(agentId);
    await this.ports.store.transact(() =>
      nickname === null ? deleteNickname.run({ agentId }) : putNickname.run({ agentId, nickname }),
    );
    return this.get(agentId);
  }

  async #workspaceFor(by: Principal, workspace?: string): Promise<string | undefined> {
    if (workspace === undefined) return undefined;
    return workspaceToUse(this.ports.workspaces, by, workspace);
  }

  async #find(agentId: string, workspace?: string): Promise<Agent | undefined> {
    const agent = (await this.#read(workspace)).find((known) => known.agentId === agentId);
    return agent && this.#checked(agent, workspace);
  }

  async #checked(agent: Agent, workspace: string | undefined): Promise<Agent> {
    const { definition, ...rest } = agent;
    if (!definition) return agent;
    // Agents of Stoa itself are valid everywhere.
    const isSound = agent.source === 'builtin';
    const problem = isSound ? undefined : await this.#problemOf(definition, workspace);
    if (problem) return { ...rest, status: 'broken', problem: problem.message };
    const lacks = await this.ports.lackOf(definition);
    return lacks === undefined ? agent : { ...agent, lacks };
  }

  async #problemOf(
    definition: AgentDefinition,
    workspace?: string,
  ): Promise<StoaError | undefined> {
    const [broken] = problemsOf(definition.permissions ?? {});
    if (broken) {
      return new StoaError('invalid_agent', `permissions: ${broken.rule}: ${broken.problem}`);
    }
    return this.ports.problemOf(definition, workspace);
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

/** A definition that an older Stoa stored may be invalid now. */
function storedAgent({ agentId, definition, updatedAt }: AgentRow): Omit<Agent, 'name'> {
  const parsed = AgentDefinition.safeParse(decodeValue(definition));
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
