import { type Principal, StoaError } from '@stoa/protocol';
import { callerClass } from '../access/rules.js';
import type { Workspaces } from './workspaces.js';

/** What a caller may look into and work in by themselves: anything for the owner, what is shared for others. */
export async function workspaceToUse(
  workspaces: Workspaces,
  by: Principal,
  workspace: string | undefined,
): Promise<string> {
  const path = await workspaces.resolve(workspace);
  if (callerClass(by) === 'admin' || workspaces.isShared(path)) return path;
  throw new StoaError('forbidden', `${path} is not open to others; the owner can open it`);
}
