import { type Finding, note, ok } from './finding.js';

interface WorkspaceSetting {
  readonly path: string;
  readonly shared: boolean;
  readonly approve: 'owner' | 'self';
}

/** What other people may do in the workspaces of the configuration. */
export function checkWorkspaces(workspaces: readonly WorkspaceSetting[]): Finding[] {
  return workspaces.flatMap(({ path, shared, approve }) => {
    if (approve === 'self') {
      const detail = `${path}: approve: self gives people who have a session there a shell as the user of the daemon`;
      return [note('workspace', detail)];
    }
    if (!shared) return [];
    const detail = `${path} is shared; the owner answers there before programs of other people run (approve: owner)`;
    return [ok('workspace', detail)];
  });
}
