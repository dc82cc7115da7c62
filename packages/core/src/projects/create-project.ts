import {
  actorIdOf,
  type CreateProject,
  LIMITS,
  type Principal,
  type ProjectDetails,
  projectTopic,
  StoaError,
} from '@stoa/protocol';
import { countProjects, findHuman, findTopic, insertTopic, type Tx } from '@stoa/store';
import { humanIdOf } from '../access/rules.js';
import { dataOf } from '../kernel/codec.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { inProject, type ProjectContext } from './context.js';
import { getProject } from './read-projects.js';

/** Creates a project with its creator as the first member, in one commit. */
export async function createProject(
  context: ProjectContext,
  principal: Principal,
  request: CreateProject,
  key?: string,
): Promise<ProjectDetails> {
  const actor = actorIdOf(principal);
  const humanId = humanIdOf(principal);
  const projectId = request.projectId ?? context.ids.next('prj').replace('_', '-');
  const metadata = admitMetadata(request.metadata);
  const topic = projectTopic(projectId);
  const made = await context.log.write({
    actor,
    lane: topic,
    *open(): Tx<void> {},
    *decide(_, at): Tx<Decision<string>> {
      // Topics outlive their projects, so the id of an erased project is never used again.
      if (yield* findTopic.first({ name: topic })) {
        throw new StoaError('project_exists', `The id ${projectId} is or was taken`);
      }
      const projects = (yield* countProjects.first({}))?.count ?? 0;
      if (projects >= LIMITS.projects) {
        throw new StoaError(
          'limit_reached',
          `There are at most ${String(LIMITS.projects)} projects`,
        );
      }
      yield* insertTopic.first({ name: topic });
      const human = yield* findHuman.first({ humanId });
      const { displayName, description } = request;
      const member = {
        memberId: humanId,
        memberKind: 'human_actor' as const,
        actorId: actor,
        displayName: human?.displayName ?? humanId,
        joinedAt: at,
      };
      return {
        events: [
          inProject(
            { projectId },
            {
              type: 'project_created',
              data: {
                projectId,
                displayName,
                ...(description === undefined ? {} : { description }),
                metadata,
              },
            },
          ),
          inProject({ projectId }, { type: 'project_member_joined', data: { member } }),
        ],
        answer: () => projectId,
      };
    },
    idempotency: idempotency(
      context.secrets,
      key,
      { createProject: request },
      (entry) => dataOf('project_created', entry).projectId,
    ),
  });
  return getProject(context, principal, made);
}
