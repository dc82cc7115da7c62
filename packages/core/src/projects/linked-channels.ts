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
import { mirrorInto, takeOut } from './mirror.js';

/** Locked as the daemon's own: whoever may change the project was asked for leave when it was linked. */
function* linkedChannel({ channelId }: ProjectLinkRow): Tx<OpenChannel> {
  const row = yield* lockChannel.first({ channelId, actorId: 'system' });
  if (!row) throw new StoaError('channel_not_found', `There is no channel ${channelId}`);
  return { ...row, channelId };
}

/** A member that joined or changed, in every channel that mirrors it. */
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

export function* takeOutEverywhere(
  project: OpenProjectRow,
  members: readonly ProjectMember[],
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const link of yield* mirroring(project.topicId)) {
    events.push(...(yield* takeOut(project, yield* linkedChannel(link), members, at)));
  }
  return events;
}

function* mirroring(topicId: number): Tx<ProjectLinkRow[]> {
  return (yield* listProjectLinks.all({ topicId })).filter(({ mirrors }) => mirrors === 1);
}

/** A channel that a project uses is not deleted under it. */
export function* assertNotLinked(channelId: string): Tx<readonly NewEvent[]> {
  const links = yield* listLinksOfChannel.all({ channelId });
  if (links.length === 0) return [];
  const names = links.map(({ projectId }) => projectId).join(', ');
  throw new StoaError('channel_linked', `${channelId} is linked by ${names}: unlink it first`);
}
