import type { ProjectEvent } from '@stoa/protocol';
import { projectTopic } from '@stoa/protocol';
import type { OpenProjectRow } from '@stoa/store';
import type { ChannelContext } from '../channels/context.js';
import type { NewEvent } from '../kernel/log.js';

/** What the operations on projects need: starting a task posts a message in a channel. */
export type ProjectContext = ChannelContext;

export const inProject = (
  { projectId }: Pick<OpenProjectRow, 'projectId'>,
  event: ProjectEvent,
): NewEvent => ({ topic: projectTopic(projectId), event });
