import type { AgentDefinition, AgentSource } from '@stoa/protocol';

/** An agent that can be used. */
export interface ReadyAgent {
  readonly agentId: string;
  readonly source: AgentSource;
  readonly definition: AgentDefinition;
}

/** The directories that sessions work in. */
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
