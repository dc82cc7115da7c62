import { type AgentDefinition, type AgentSource, type Principal, StoaError } from '@stoa/protocol';
import { callerClass } from '../access/rules.js';

/** An agent that can be used. */
export interface ReadyAgent {
  readonly agentId: string;
  readonly source: AgentSource;
  readonly definition: AgentDefinition;
}

/** The directories that sessions work in. */
export interface Workspaces {
  /**
   * Checks that sessions may work in the directory, and resolves links in its path; throws `invalid_workspace` otherwise.
   * Defaults to the directory in which the daemon was started.
   */
  resolve(workspace: string | undefined): Promise<string>;
  /** The instructions of a workspace (AGENTS.md), if it has any. */
  instructions(workspace: string): Promise<string | undefined>;
  /** Whether people other than the owner may have sessions there. */
  isShared(workspace: string): boolean;
  /** Whether people may approve all calls of their own sessions there, including those that run programs. */
  isSelfApproved(workspace: string): boolean;
}

/** The directory, if the caller may work in it: the owner in any, others in shared ones. */
export async function workspaceToUse(
  workspaces: Workspaces,
  by: Principal,
  workspace: string | undefined,
): Promise<string> {
  const path = await workspaces.resolve(workspace);
  if (callerClass(by) === 'admin' || workspaces.isShared(path)) return path;
  throw new StoaError('forbidden', `${path} is not shared; the owner can share it`);
}
