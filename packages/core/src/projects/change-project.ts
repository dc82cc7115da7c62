import {
  actorIdOf,
  type Principal,
  type ProjectDetails,
  projectTopic,
  StoaError,
  type UpdateProject,
} from '@stoa/protocol';
import { listProjectMembers, type Tx } from '@stoa/store';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { inProject, type ProjectContext } from './context.js';
import { removeMirroredEverywhere } from './linked-channels.js';
import { assertTakesChanges, projectToManage } from './project-gate.js';
import { getProject } from './read-projects.js';
import { projectMemberRecord } from './records.js';

export async function updateProject(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  request: UpdateProject,
): Promise<ProjectDetails> {
  const { displayName, description, status, metadata } = request;
  const data = {
    ...(displayName === undefined ? {} : { displayName }),
    ...(description === undefined ? {} : { description }),
    ...(status === undefined ? {} : { status }),
    ...(metadata === undefined ? {} : { metadata: admitMetadata(metadata) }),
  };
  if (Object.keys(data).length === 0) {
    throw new StoaError('invalid_request', 'Nothing to change', [
      { path: 'body', message: 'at least one field' },
    ]);
  }
  await context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToManage(principal, projectId),
    // eslint-disable-next-line require-yield -- the decision needs only the project
    *decide(project): Tx<Decision<void>> {
      // An archived project has to be made active first.
      if (status === undefined || status === 'archived') assertTakesChanges(project);
      return {
        events: [inProject(project, { type: 'project_updated', data })],
        answer: () => undefined,
      };
    },
  });
  return getProject(context, principal, projectId);
}

/** Its mirrored members leave their channels; messages stay. */
export function deleteProject(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
): Promise<void> {
  return context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToManage(principal, projectId),
    *decide(project, at): Tx<Decision<void>> {
      const rows = yield* listProjectMembers.all({ topicId: project.topicId });
      return {
        events: [
          inProject(project, { type: 'project_deleted', data: { projectId } }),
          ...(yield* removeMirroredEverywhere(project, rows.map(projectMemberRecord), at)),
        ],
        answer: () => undefined,
      };
    },
  });
}
