import type { CancelReason, DriverCapabilities, DriverKind, Principal } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { ReadyAgent, Workspaces } from '../agents/workspaces.js';
import type { Assets } from '../assets/assets.js';
import { defineHook } from '../kernel/hooks.js';
import type { Kernel } from '../kernel/kernel.js';
import type { NewEvent } from '../kernel/log.js';
import type { MemorySettings } from '../memory/memory-files.js';
import type { OpenSession } from './session-gate.js';

/** What the operations on sessions, runs, inboxes and approvals need. */
export interface SessionContext extends Kernel {
  readonly assets: Assets;
  readonly workspaces: Workspaces;
  /** Agents that people other than the owner may use; `*` is every agent. */
  readonly sharedAgents: readonly string[];
  readonly memory: MemorySettings;
  /** Throws `unknown_agent` or `agent_broken`, naming the agents that exist. */
  readonly findAgent: (agentId: string, workspace: string) => Promise<ReadyAgent>;
  readonly capabilities: (driver: DriverKind) => DriverCapabilities;
  /** How long an approval waits for an answer. */
  readonly approvalMs: number;
}

/** A session is cleared or ends: its runs end in the same commit. */
export const SESSION_STOPPING = defineHook<
  [session: OpenSession, reason: CancelReason],
  Tx<readonly NewEvent[]>
>('session stopping');

/** A session ends: modules that depend on it refuse the end, or record it in the same commit. */
export const SESSION_ENDING = defineHook<
  [by: Principal, sessionId: string],
  Tx<readonly NewEvent[]>
>('session ending');
