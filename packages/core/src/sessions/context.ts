import type { AgentDefinition, AgentSource, DriverCapabilities, DriverKind } from '@stoa/protocol';
import type { Store, Tx } from '@stoa/store';
import type { OpenSession } from '../access/session-gate.js';
import type { Assets } from '../assets/assets.js';
import type { Log, NewEvent } from '../log/log.js';
import type { StoreWait } from '../log/store-wait.js';
import type { MemoryFiles } from '../memory/memory-files.js';
import type { Clock, Ids, Secrets } from '../ports.js';
import type { RunEnd } from './run-end.js';

/** An agent that can be used. */
export interface ReadyAgent {
  readonly agentId: string;
  readonly source: AgentSource;
  readonly definition: AgentDefinition;
}

/** What a session takes from outside the store when it is made. */
export interface Workspaces {
  /**
   * Checks that the directory may be worked in and resolves links in its name; throws
   * `invalid_workspace` otherwise. Without one, the directory the daemon was started in.
   */
  resolve(workspace: string | undefined): Promise<string>;
  /** The instructions of a workspace (AGENTS.md), if it has any. */
  instructions(workspace: string): Promise<string | undefined>;
  /** Whether people other than the owner may have sessions there. */
  isShared(workspace: string): boolean;
  /** Whether people may answer there for their own sessions, also calls that run programs. */
  isSelfApproved(workspace: string): boolean;
}

/** How sessions remember. */
export interface MemorySettings {
  readonly files: MemoryFiles;
  /** How much of a memory is told with a prompt, in characters. */
  readonly toldChars: number;
}

/** What every verb of sessions works with. */
export interface SessionContext {
  readonly store: Store;
  readonly log: Log;
  /** Suspends what runs do while the store is away. */
  readonly storeWait: StoreWait;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly assets: Assets;
  readonly workspaces: Workspaces;
  /** Agents that people other than the owner may use; `*` is every agent. */
  readonly sharedAgents: readonly string[];
  readonly memory: MemorySettings;
  /** Throws `unknown_agent` or `agent_broken`, naming what there is. */
  readonly findAgent: (agentId: string, workspace: string) => Promise<ReadyAgent>;
  readonly capabilities: (driver: DriverKind) => DriverCapabilities;
  /**
   * What the end of a run means for the thread it was to speak in and for the task it was for, if there
   * are any. `closing` ends it, and gives what it had not taken a run of its own.
   */
  readonly runEnded: (
    session: OpenSession,
    runId: string,
    end: RunEnd,
    closing: readonly NewEvent[],
  ) => Tx<NewEvent[]>;
  /** Whether what a session has to do has to wait for something else. */
  readonly isHeldBack: (session: OpenSession) => Tx<boolean>;
  /** How long an approval waits for an answer. */
  readonly approvalMs: number;
  /** Told of what is worth a line in the log and concerns no caller. */
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}
