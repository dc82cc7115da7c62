import {
  actorIdOf,
  LIMITS,
  type Principal,
  type ProjectMember,
  projectTopic,
  StoaError,
  type UpsertProjectMember,
} from '@stoa/protocol';
import {
  findHuman,
  findProjectMember,
  findProjectMemberByActor,
  listProjectMembers,
  listProjectsOfActor,
  type OpenProjectRow,
  openSession,
  type Tx,
} from '@stoa/store';
import { mayModerate } from '../access/rules.js';
import { sessionIdOf } from '../channels/member-name.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { assertNotEnded, mayDirect, sessionToChange } from '../sessions/session-gate.js';
import { inProject, type ProjectContext } from './context.js';
import { mirrorEverywhere, removeMirroredEverywhere } from './linked-channels.js';
import { assertTakesChanges, projectToChange } from './project-gate.js';
import { projectMemberRecord } from './records.js';

/** Adds or changes a member. An actor is in a project once; adding it again keeps `joinedAt`. */
export function upsertMember(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  request: UpsertProjectMember,
): Promise<ProjectMember> {
  return context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToChange(principal, projectId),
    *decide(project, at): Tx<Decision<ProjectMember>> {
      assertTakesChanges(project);
      const { topicId } = project;
      const actorId = request.actorId ?? actorIdOf(principal);
      const known = yield* findProjectMemberByActor.first({ topicId, actorId });
      if (known || sessionIdOf(actorId) === undefined) {
        yield* assertMayManage(principal, project, actorId);
      }
      const member = known
        ? changed(projectMemberRecord(known), request)
        : yield* newcomer(principal, project, actorId, request, at);
      const type = known ? 'project_member_updated' : 'project_member_joined';
      return {
        events: [
          inProject(project, { type, data: { member } }),
          ...(yield* mirrorEverywhere(project, member, at)),
        ],
        answer: () => member,
      };
    },
  });
}

export function removeMember(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  memberId: string,
): Promise<void> {
  return context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToChange(principal, projectId),
    *decide(project, at): Tx<Decision<void>> {
      assertTakesChanges(project);
      const row = yield* findProjectMember.first({ topicId: project.topicId, memberId });
      if (!row) {
        throw new StoaError('member_not_found', `There is no member ${memberId} in ${projectId}`);
      }
      yield* assertMayManage(principal, project, row.actorId);
      return {
        events: [
          inProject(project, { type: 'project_member_left', data: { memberId } }),
          ...(yield* removeMirroredEverywhere(project, [projectMemberRecord(row)], at)),
        ],
        answer: () => undefined,
      };
    },
  });
}

/** People manage themselves and their sessions; the creator of the project and the owner manage everybody. */
function* assertMayManage(
  principal: Principal,
  project: OpenProjectRow,
  actorId: string,
): Tx<void> {
  if (actorId === actorIdOf(principal) || mayModerate(principal, project.createdBy)) return;
  const sessionId = sessionIdOf(actorId);
  const session = sessionId && (yield* openSession.first({ sessionId }));
  if (session && mayDirect(principal, session)) return;
  throw new StoaError(
    'forbidden',
    'Only the creator of the project or the owner may manage other members',
  );
}

function changed(member: ProjectMember, request: UpsertProjectMember): ProjectMember {
  const { memberId, displayName, role } = request;
  if (memberId !== undefined && memberId !== member.memberId) {
    throw new StoaError(
      'invalid_request',
      `${member.actorId} is in this project as ${member.memberId}`,
    );
  }
  return {
    ...member,
    ...(displayName === undefined ? {} : { displayName }),
    ...(role === undefined ? {} : { role }),
  };
}

function* newcomer(
  principal: Principal,
  project: OpenProjectRow,
  actorId: string,
  request: UpsertProjectMember,
  at: number,
): Tx<ProjectMember> {
  const { topicId } = project;
  const members = yield* listProjectMembers.all({ topicId });
  if (members.length >= LIMITS.membersPerProject) {
    throw new StoaError(
      'limit_reached',
      `A project has at most ${String(LIMITS.membersPerProject)} members`,
    );
  }
  const taken = new Set(members.map(({ memberId }) => memberId));
  const who = yield* identity(principal, actorId, taken);
  const memberId = request.memberId ?? who.memberId;
  if (taken.has(memberId)) {
    throw new StoaError('invalid_request', `The member id ${memberId} is taken in this project`);
  }
  return {
    memberId,
    memberKind: who.memberKind,
    actorId,
    displayName: request.displayName ?? who.displayName,
    ...(request.role === undefined ? {} : { role: request.role }),
    joinedAt: at,
  };
}

type Identity = Pick<ProjectMember, 'memberId' | 'memberKind' | 'displayName'>;

/** A person who may direct a session may add it. */
function* identity(
  principal: Principal,
  actorId: string,
  taken: ReadonlySet<string>,
): Tx<Identity> {
  const sessionId = sessionIdOf(actorId);
  if (sessionId === undefined) {
    const humanId = actorId.startsWith('human:') ? actorId.slice('human:'.length) : '';
    const human = yield* findHuman.first({ humanId });
    if (!human) throw new StoaError('unknown_member', `There is nobody called ${actorId} here`);
    return { memberId: humanId, memberKind: 'human_actor', displayName: human.displayName };
  }
  const session = yield* sessionToChange(principal, sessionId);
  assertNotEnded(session);
  return {
    memberId: freeId(session.agentId, taken),
    memberKind: 'session',
    displayName: session.agentName,
  };
}

/** The id of the agent, with a number if it is taken. */
function freeId(agentId: string, taken: ReadonlySet<string>): string {
  if (!taken.has(agentId)) return agentId;
  for (let n = 2; ; n++) {
    const memberId = `${agentId}-${String(n)}`;
    if (!taken.has(memberId)) return memberId;
  }
}

/**
 * A person has to remove a session from its projects before ending it. A session that ends with its parent cannot be kept, so
 * its projects record the end in the same commit.
 */
export function* sessionEnding(by: Principal, sessionId: string): Tx<NewEvent[]> {
  const memberships = yield* listProjectsOfActor.all({ actorId: `session:${sessionId}` });
  if (memberships.length > 0 && by.kind !== 'system') {
    const names = memberships.map(({ projectId }) => projectId).join(', ');
    throw new StoaError(
      'session_in_project',
      `${sessionId} is a member of ${names}: remove it there first`,
    );
  }
  return memberships.map(({ projectId, memberId }) => ({
    topic: projectTopic(projectId),
    event: { type: 'project_session_ended', data: { memberId } },
  }));
}
