import { type ProjectMember, StoaError } from '@stoa/protocol';
import {
  listLinksOfChannel,
  listProjectLinks,
  lockChannel,
  type OpenProjectRow,
  type ProjectLinkRow,
  type Tx,
} from '@stoa/store';
import type { OpenChannel } from '../channels/channel-gate.js';
import type { NewEvent } from '../kernel/log.js';
import { mirrorInto, removeMirrored } from './mirror.js';

/** Without a check of the caller: the right to link the channel was checked when it was linked. */
function* linkedChannel({ channelId }: ProjectLinkRow): Tx<OpenChannel> {
  const row = yield* lockChannel.first({ channelId, actorId: 'system' });
  if (!row) throw new StoaError('channel_not_found', `There is no channel ${channelId}`);
  return { ...row, channelId };
}

/** Updates a member that joined or changed, in every channel that mirrors it. */
export function* mirrorEverywhere(
  { topicId, projectId }: OpenProjectRow,
  member: ProjectMember,
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const link of yield* mirroring(topicId)) {
    events.push(...(yield* mirrorInto(projectId, yield* linkedChannel(link), [member], at)));
  }
  return events;
}

export function* removeMirroredEverywhere(
  project: OpenProjectRow,
  members: readonly ProjectMember[],
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const link of yield* mirroring(project.topicId)) {
    events.push(...(yield* removeMirrored(project, yield* linkedChannel(link), members, at)));
  }
  return events;
}

function* mirroring(topicId: number): Tx<ProjectLinkRow[]> {
  return (yield* listProjectLinks.all({ topicId })).filter(({ mirrors }) => mirrors === 1);
}

/** A linked channel cannot be deleted. */
export function* assertNotLinked(channelId: string): Tx<readonly NewEvent[]> {
  const links = yield* listLinksOfChannel.all({ channelId });
  if (links.length === 0) return [];
  const names = links.map(({ projectId }) => projectId).join(', ');
  throw new StoaError('channel_linked', `${channelId} is linked by ${names}: unlink it first`);
}
