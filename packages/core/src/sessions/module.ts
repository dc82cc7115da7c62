import type { DriverCapabilities, DriverKind, PermissionRules, Principal } from '@stoa/protocol';
import { SESSION_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { agents } from '../agents/module.js';
import type { Workspaces } from '../agents/workspaces.js';
import { assets } from '../assets/module.js';
import { defineModule } from '../kernel/module.js';
import type { MemorySettings } from '../memory/memory-files.js';
import { memory } from '../memory/module.js';
import type { ToolRequest } from '../permissions/request.js';
import { endOrphanedSessions } from './change-session.js';
import type { SessionContext } from './context.js';
import { assertMayUse } from './may-use.js';
import { SESSION_EVENTS } from './projection.js';
import { sessionToRead } from './session-gate.js';
import { Sessions } from './sessions.js';

export interface SessionPorts {
  readonly runtime: {
    readonly workspaces: Workspaces;
    /** Agents that people other than the owner may use; `*` is every agent. */
    readonly sharedAgents?: readonly string[] | undefined;
    readonly memory: MemorySettings;
    readonly drivers: ReadonlyMap<DriverKind, { readonly capabilities: DriverCapabilities }>;
    readonly configRules: PermissionRules;
    readonly approvalMs: number;
  };
}

const ORPHANS_AT_ONCE = 100;
/** The capabilities of a driver that does not exist. */
const NO_DRIVER: DriverCapabilities = { inject: false };

/** Sessions: agents at work for a person, and their rights. */
export const sessions = defineModule({
  name: 'sessions',
  needs: [access, assets, agents, memory],
  topics: [{ kind: 'session', retention: 'permanent', mayFollow: sessionToRead }],
  events: SESSION_EVENTS,
  tables: { session: SESSION_TABLES },
  create({ agents, ...given }, { runtime }: SessionPorts) {
    const { workspaces, sharedAgents = [], memory, drivers, configRules, approvalMs } = runtime;
    const sessionContext: SessionContext = {
      ...given,
      workspaces,
      sharedAgents,
      memory,
      findAgent: (agentId, workspace) => agents.ready(agentId, workspace),
      capabilities: (kind) => drivers.get(kind)?.capabilities ?? NO_DRIVER,
      approvalMs,
    };
    return {
      services: {
        sessionContext,
        sessions: new Sessions(sessionContext),
        /** Throws `forbidden` if the rules of a session do not let it use a tool without an approval. */
        assertMayUse: (by: Principal, asked: Pick<ToolRequest, 'tool' | 'kind'>): Promise<void> =>
          assertMayUse(given.store, { configRules, workspaces }, by, asked),
      },
      ticks: [{ everyMs: 5_000, run: () => endOrphanedSessions(sessionContext, ORPHANS_AT_ONCE) }],
    };
  },
});
