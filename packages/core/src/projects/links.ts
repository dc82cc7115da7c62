import {
  actorIdOf,
  type ChannelLink,
  LIMITS,
  type LinkChannel,
  type Principal,
  type ProjectMember,
  projectTopic,
  StoaError,
} from '@stoa/protocol';
import { listProjectLinks, listProjectMembers, type OpenProjectRow, type Tx } from '@stoa/store';
import { mayModerate } from '../access/rules.js';
import {
  assertNotArchived,
  channelToChange,
  channelToModerate,
  type OpenChannel,
} from '../channels/channel-gate.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { inProject, type ProjectContext } from './context.js';
import { mirrorInto, removeMirrored } from './mirror.js';
import {
  assertMayManage,
  assertTakesChanges,
  projectToChange,
  projectToManage,
} from './project-gate.js';
import { linkRecord, projectMemberRecord } from './records.js';

/**
 * Links a channel, or changes the link. A link prevents that the channel is deleted and may add members to it, so the caller
 * must be allowed to manage both.
 */
export function linkChannel(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  channelId: string,
  request: LinkChannel,
): Promise<ChannelLink> {
  return context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToManage(principal, projectId),
    *decide(project, at): Tx<Decision<ChannelLink>> {
      assertTakesChanges(project);
      const channel = yield* channelToModerate(principal, channelId);
      const known = yield* linkTo(project, channelId);
      if (!known) yield* assertMayLink(project, channel);
      const link = linkOf(channelId, known, request, at);
      return {
        events: [
          inProject(project, { type: 'channel_linked', data: { link } }),
          ...(yield* mirrorChanges(project, channel, known, link, at)),
        ],
        answer: () => link,
      };
    },
  });
}

/** A caller who may manage the project or the channel may unlink them. Mirrored members leave. */
export function unlinkChannel(
  context: ProjectContext,
  principal: Principal,
  projectId: string,
  channelId: string,
): Promise<void> {
  return context.log.write({
    actor: actorIdOf(principal),
    lane: projectTopic(projectId),
    open: () => projectToChange(principal, projectId),
    *decide(project, at): Tx<Decision<void>> {
      const channel = yield* channelToChange(principal, channelId);
      if (!mayModerate(principal, channel.createdBy)) assertMayManage(principal, project);
      if (!(yield* linkTo(project, channelId))) {
        throw new StoaError('channel_not_linked', `${projectId} does not link ${channelId}`);
      }
      return {
        events: [
          inProject(project, { type: 'channel_unlinked', data: { channelId } }),
          ...(yield* removeMirrored(project, channel, yield* membersOf(project), at)),
        ],
        answer: () => undefined,
      };
    },
  });
}

function* mirrorChanges(
  project: OpenProjectRow,
  channel: OpenChannel,
  before: ChannelLink | undefined,
  link: ChannelLink,
  at: number,
): Tx<NewEvent[]> {
  if (link.mirrorMembers) {
    return yield* mirrorInto(project.projectId, channel, yield* membersOf(project), at);
  }
  if (!before?.mirrorMembers) return [];
  return yield* removeMirrored(project, channel, yield* membersOf(project), at);
}

function linkOf(
  channelId: string,
  known: ChannelLink | undefined,
  request: LinkChannel,
  at: number,
): ChannelLink {
  const role = request.role ?? known?.role;
  return {
    channelId,
    ...(role === undefined ? {} : { role }),
    defaultForNewTasks: request.defaultForNewTasks ?? known?.defaultForNewTasks ?? false,
    mirrorMembers: request.mirrorMembers ?? known?.mirrorMembers ?? false,
    linkedAt: known?.linkedAt ?? at,
  };
}

function* linkTo({ topicId }: OpenProjectRow, channelId: string): Tx<ChannelLink | undefined> {
  const links = yield* listProjectLinks.all({ topicId });
  const row = links.find((link) => link.channelId === channelId);
  return row && linkRecord(row);
}

function* assertMayLink({ topicId }: OpenProjectRow, channel: OpenChannel): Tx<void> {
  assertNotArchived(channel);
  const links = yield* listProjectLinks.all({ topicId });
  if (links.length < LIMITS.linksPerProject) return;
  throw new StoaError(
    'limit_reached',
    `A project links at most ${String(LIMITS.linksPerProject)} channels`,
  );
}

function* membersOf({ topicId }: OpenProjectRow): Tx<ProjectMember[]> {
  return (yield* listProjectMembers.all({ topicId })).map(projectMemberRecord);
}
