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
      const detail = `${path}: with approve: self, people who have a session there can run programs as the user of the daemon`;
      return [note('workspace', detail)];
    }
    if (!shared) return [];
    const detail = `${path} is shared; programs of other people need an approval by the owner (approve: owner)`;
    return [ok('workspace', detail)];
  });
}
